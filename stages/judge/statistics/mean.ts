import { tQuantile } from './t.js'

export interface MeanEstimate {
  readonly n: number
  readonly mean: number
  /** With n − 1 in the denominator; NaN for a single value, as is the next. */
  readonly variance: number
  /** Of the mean: √(variance / n). */
  readonly stderr: number
}

/** Mean, variance and standard error, with compensated sums, so that a large common offset costs no digits. */
export function estimateMean(values: ArrayLike<number>): MeanEstimate | undefined {
  const n = values.length
  if (n === 0) return undefined
  const mean = sum(n, i => values[i] ?? 0) / n
  if (n < 2) return { n, mean, variance: Number.NaN, stderr: Number.NaN }
  const residue = sum(n, i => (values[i] ?? 0) - mean)
  const squares = sum(n, i => ((values[i] ?? 0) - mean) ** 2)
  const variance = Math.max(0, squares - (residue * residue) / n) / (n - 1)
  return { n, mean, variance, stderr: Math.sqrt(variance / n) }
}

/** Neumaier's compensated sum, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen" (1974). */
function sum(n: number, value: (i: number) => number): number {
  let total = 0
  let lost = 0
  for (let i = 0; i < n; i++) {
    const x = value(i)
    const next = total + x
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total
    total = next
  }
  return total + lost
}

/** `estimate` ± the t quantile × `stderr`; `level` is the coverage, 0.95 where none is given. */
export function tInterval(
  { mean, stderr }: { readonly mean: number; readonly stderr: number },
  df: number,
  level = 0.95,
): readonly [number, number] {
  const half = tQuantile((1 + level) / 2, df) * stderr
  return [mean - half, mean + half]
}

/** Mean with its 95 % t interval. Fewer than two values have neither standard error nor interval. */
export function meanInterval(values: ArrayLike<number>):
  | {
      readonly n: number
      readonly mean: number
      readonly stderr: number | null
      readonly interval: readonly [number, number] | null
    }
  | undefined {
  const estimate = estimateMean(values)
  if (estimate === undefined) return undefined
  const { n, mean, stderr } = estimate
  if (n < 2) return { n, mean, stderr: null, interval: null }
  return { n, mean, stderr, interval: tInterval(estimate, n - 1) }
}
