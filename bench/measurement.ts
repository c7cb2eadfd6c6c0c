/** One line of the table. */
export interface Figure {
  readonly what: string
  /** The measured value with its unit. */
  readonly measured: string
  /** The limit. If it was measured in the same run, it shows that measurement. */
  readonly limit: string
  readonly isOver: boolean
}

/** A measurement of the bench, which gives one or several figures. */
export interface Measurement {
  /** The name on the command line. */
  readonly name: string
  /** Takes many minutes or gigabytes, so it runs only with `--large` or by name. */
  readonly isLarge?: boolean
  /** @param folder an empty folder, removed afterwards */
  measure(folder: string, options: { readonly large: boolean }): Promise<readonly Figure[]>
}

/** A figure with a maximum. */
export const atMost = (what: string, value: number, limit: number, format: (value: number) => string): Figure => ({
  what,
  measured: format(value),
  limit: `≤ ${format(limit)}`,
  isOver: value > limit,
})

/** A figure with a minimum, a share of another figure measured in the same run. */
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

/** A figure without a limit. */
export const note = (what: string, measured: string): Figure => ({ what, measured, limit: '', isOver: false })

/** Formats a number of seconds. */
export const seconds = (value: number): string => `${value.toFixed(2)} s`

/** Formats a number of megabytes. */
export const megabytes = (value: number): string => `${Math.round(value)} MB`

/** Formats a rate per second. */
export const perSecond = (value: number): string => `${value.toFixed(1)}/s`

/** Formats a ratio. */
export const times = (value: number): string => `${value.toFixed(2)} ×`

/** Formats a share as a percentage. */
export const percent = (value: number): string => `${(100 * value).toFixed(1)} %`

/** Computes the median of values; of an even number, the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
