/** Means of independent values. */
import { normalQuantile } from '../distributions/normal.js'
import { tQuantile, tTwoSided } from '../distributions/student-t.js'
import type { Interval } from './interval.js'

export interface MeanEstimate {
  readonly n: number
  readonly mean: number
  /** The variance with n − 1 in the denominator; NaN for a single value, like `stderr`. */
  readonly variance: number
  /** The standard error of the mean: √(variance / n). */
  readonly stderr: number
}

/** An estimate with its standard error and the degrees of freedom of that error. */
export interface Estimate {
  readonly mean: number
  readonly stderr: number
  readonly df: number
}

/** The magnitude up to which squares of values, and sums of them, are finite. */
const largest = 1e100

/**
 * The power of two that brings values to about 1 where their squares would be infinite; else 1. Multiplying by it
 * rounds nothing.
 */
export function findScale(values: ArrayLike<number>): number {
  let most = 0
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i] ?? 0))
  if (!Number.isFinite(most) || most < largest) return 1
  return 2 ** -Math.min(1000, Math.ceil(Math.log2(most)))
}

/**
 * Computes mean, variance and standard error. Compensated sums keep all digits even if the values share a large offset,
 * and large values are scaled. The variance of values beyond 1e154 is infinite.
 */
export function estimateMean(values: ArrayLike<number>): MeanEstimate | undefined {
  const scale = findScale(values)
  if (scale === 1) return estimateScaled(values)
  const estimate = estimateScaled(Float64Array.from(values, value => value * scale))
  if (estimate === undefined) return undefined
  const { n, mean, variance, stderr } = estimate
  return { n, mean: mean / scale, variance: variance / scale / scale, stderr: stderr / scale }
}

function estimateScaled(values: ArrayLike<number>): MeanEstimate | undefined {
  const n = values.length
  if (n === 0) return undefined
  const mean = sumTerms(n, i => values[i] ?? 0) / n
  if (n < 2) return { n, mean, variance: Number.NaN, stderr: Number.NaN }
  const residue = sumTerms(n, i => (values[i] ?? 0) - mean)
  const squares = sumTerms(n, i => ((values[i] ?? 0) - mean) ** 2)
  const variance = Math.max(0, squares - (residue * residue) / n) / (n - 1)
  return { n, mean, variance, stderr: Math.sqrt(variance / n) }
}

/**
 * Sums `n` terms by Neumaier's compensated sum, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
 * Summen" (1974).
 */
export function sumTerms(n: number, term: (i: number) => number): number {
  let total = 0
  let lost = 0
  for (let i = 0; i < n; i++) {
    const x = term(i)
    const next = total + x
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total
    total = next
  }
  return total + lost
}

/** Computes the t interval: `mean` ± the t quantile × `stderr`. `level` is the coverage. @default 0.95 */
export function tInterval({ mean, stderr }: Omit<Estimate, 'df'>, df: number, level = 0.95): Interval {
  const half = tQuantile((1 + level) / 2, df) * stderr
  return [mean - half, mean + half]
}

/** Computes the normal interval: `mean` ± the normal quantile × `stderr`. `level` is the coverage. @default 0.95 */
export function zInterval({ mean, stderr }: Omit<Estimate, 'df'>, level = 0.95): Interval {
  const half = normalQuantile((1 + level) / 2) * stderr
  return [mean - half, mean + half]
}

/** Tests whether a mean is 0 by the t test. `p` is two-sided, and 1 for a mean of exactly 0. */
export function testMean({ mean, stderr, df }: Estimate): { readonly t: number; readonly p: number } {
  return mean === 0 ? { t: 0, p: 1 } : { t: mean / stderr, p: tTwoSided(mean / stderr, df) }
}

/** Computes the mean with its 95 % t interval. Fewer than two values have no standard error and no interval. */
export function meanInterval(values: ArrayLike<number>):
  | {
      readonly n: number
      readonly mean: number
      readonly stderr: number | null
      readonly interval: Interval | null
    }
  | undefined {
  const estimate = estimateMean(values)
  if (estimate === undefined) return undefined
  const { n, mean, stderr } = estimate
  if (n < 2) return { n, mean, stderr: null, interval: null }
  return { n, mean, stderr, interval: tInterval(estimate, n - 1) }
}
