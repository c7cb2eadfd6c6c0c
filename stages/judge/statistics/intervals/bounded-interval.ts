import { tQuantile } from '../distributions/student-t.js'
import type { Interval } from './interval.js'
import { wilson, z95 } from './proportions.js'

/** A mean, with what an interval of it needs. */
interface SpreadMean {
  readonly n: number
  readonly mean: number
  readonly stderr: number
  /** Degrees of freedom of the standard error: n − 1, or fewer if docs have clusters. */
  readonly df: number
  /**
   * The smallest number of independent docs: n, or n² / Σ m² for clusters of m docs. Source: Kish, "Survey
   * Sampling", 1965.
   */
  readonly parts: number
  /** Student's interval. */
  readonly interval: Interval
}

/**
 * The fewest degrees of freedom at which Student's t describes a cluster-robust mean: about five clusters of equal
 * size.
 *
 * Source: Tipton, "Small sample adjustments for robust variance estimation with meta-regression", Psychological
 * Methods 20 (2015).
 */
const fewestDegrees = 4

/**
 * Whether the degrees of freedom are too few. The tolerance is for rounding: clusters of equal size have a whole
 * number of degrees.
 */
export const hasTooFewClusters = (df: number): boolean => df < fewestDegrees - 1e-9

/**
 * Whether the values differ by more than rounding. A standard error of 0 means that the spread is unknown, not that
 * there is none.
 */
export const hasSpread = ({ mean, stderr }: Pick<SpreadMean, 'mean' | 'stderr'>): boolean =>
  stderr > 1e-12 * Math.abs(mean)

/**
 * Student's interval, if it has a width and lies within the mean's range. Else it is Wilson's on the effective
 * sample size, which stays within the range. It is undefined if there is no width and the range is unknown.
 */
export function intervalWithin(
  mean: SpreadMean,
  range: Interval | undefined,
): { readonly interval: Interval; readonly method: 't' | 'wilson' } | undefined {
  const [low, high] = range ?? [-Infinity, Infinity]
  const isWithin = mean.interval[0] >= low && mean.interval[1] <= high
  if (hasSpread(mean) && isWithin) return { interval: mean.interval, method: 't' }
  return range && { interval: effectiveWilson(mean, range), method: 'wilson' }
}

/**
 * Wilson's interval on the effective sample size, which stays within the range.
 *
 * @param options `isGraded`: whether values lie between the ends of the range, so that they may tell more than as many shares
 */
export function effectiveWilson(
  mean: Omit<SpreadMean, 'interval'>,
  [low, high]: Interval,
  { isGraded = false }: { readonly isGraded?: boolean } = {},
): Interval {
  const width = high - low
  const share = Math.min(1, Math.max(0, (mean.mean - low) / width))
  const size = effectiveSize(mean, { width, variance: share * (1 - share), isGraded })
  const [from, to] = wilson(share * size, size)
  return [low + width * from, low + width * to]
}

/**
 * The number of independent docs that would tell as much about a share as these docs. It is the binomial variance
 * over the observed variance, times (t of n − 1 / t of df)² for few clusters, and at most n. Graded values have no such maximum, and (z / t of df)². At an end of the range
 * the variance is unknown, and each cluster counts as one doc.
 *
 * Sources: Korn and Graubard, "Confidence Intervals for Proportions With Small Expected Number of Positive Counts
 * Estimated From Survey Data", Survey Methodology 24 (1998); with Wilson's interval: Franco, Little, Louis and
 * Slud, "Comparative Study of Confidence Intervals for Proportions in Complex Sample Surveys", Journal of Survey
 * Statistics and Methodology 7 (2019).
 */
export function effectiveSize(
  { n, mean, stderr, df, parts }: Omit<SpreadMean, 'interval'>,
  {
    variance,
    width = 1,
    isGraded = false,
  }: { readonly variance: number; readonly width?: number; readonly isGraded?: boolean },
): number {
  if (variance <= 0) return parts
  const size = hasSpread({ mean, stderr }) ? variance / (stderr / width) ** 2 : n
  const fewer = (tQuantile(0.975, Math.max(1, n - 1)) / tQuantile(0.975, df)) ** 2
  return isGraded && hasSpread({ mean, stderr }) ? size / (tQuantile(0.975, df) / z95) ** 2 : Math.min(n, size * fewer)
}

/**
 * Bounds of the mean of all `total` docs: the missing values are all the lowest, or all the highest.
 *
 * Source: Manski, "Nonparametric Bounds on Treatment Effects", American Economic Review 80 (1990).
 */
export function meanBounds(
  sample: { readonly n: number; readonly mean: number },
  total: number,
  [lowest, highest]: readonly [number, number],
): readonly [number, number] {
  const sum = sample.n === 0 ? 0 : sample.mean * sample.n
  const missing = total - sample.n
  return [(sum + missing * lowest) / total, (sum + missing * highest) / total]
}
