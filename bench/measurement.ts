/** One line of the table. */
export interface Figure {
  readonly what: string
  /** With its unit. */
  readonly measured: string
  /** What it must not pass, with the limit that was measured in the same run where it is against one. */
  readonly limit: string
  readonly isOver: boolean
}

export interface Measurement {
  /** By which it is named on the command line. */
  readonly name: string
  /** Takes many minutes or gigabytes: only with `--large`, or by name. */
  readonly isLarge?: boolean
  /** @param folder empty, and removed afterwards */
  measure(folder: string, options: { readonly large: boolean }): Promise<readonly Figure[]>
}

/** A figure that must be at most `limit`. */
export const atMost = (what: string, value: number, limit: number, format: (value: number) => string): Figure => ({
  what,
  measured: format(value),
  limit: `≤ ${format(limit)}`,
  isOver: value > limit,
})

/** A figure that must reach a share of one that was measured in the same run. */
export const shareOf = (
  what: string,
  values: { readonly value: number; readonly reference: number; readonly share: number },
  format: (value: number) => string,
): Figure => ({
  what,
  measured: `${format(values.value)} = ${percent(values.value / values.reference)}`,
  limit: `≥ ${percent(values.share)} of ${format(values.reference)}`,
  isOver: values.value < values.share * values.reference,
})

/** A figure that is shown for its own sake. */
export const note = (what: string, measured: string): Figure => ({ what, measured, limit: '', isOver: false })

export const seconds = (value: number): string => `${value.toFixed(2)} s`
export const megabytes = (value: number): string => `${Math.round(value)} MB`
export const perSecond = (value: number): string => `${value.toFixed(1)}/s`
export const times = (value: number): string => `${value.toFixed(2)} ×`
export const percent = (value: number): string => `${(100 * value).toFixed(1)} %`

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
