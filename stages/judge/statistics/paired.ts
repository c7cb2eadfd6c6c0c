import { effectiveSize, hasSpread, hasTooFewClusters, wilson, type Interval } from './bounded-interval.js'
import { tTwoSided } from './distributions.js'
import { clusteredMean, estimateMean, tInterval, type MeanEstimate } from './mean.js'

/** The difference b − a between two models on the same docs. */
export interface PairedDifference {
  readonly n: number
  readonly difference: number
  /** Standard deviation of the docs' differences. */
  readonly deviation: number
  readonly stderr: number
  readonly df: number
  /** The smallest number of independent pairs. */
  readonly parts: number
  /** The 95 % interval. */
  readonly interval: readonly [number, number]
  /** The two-sided p value of the t test; 1 if nothing differs. */
  readonly p: number
}

/**
 * The paired t test of `b` against `a`. With `clusters` it uses the cluster-robust CR2 with Bell and McCaffrey's
 * degrees of freedom. Undefined with fewer than two pairs or clusters.
 */
export function pairedDifference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  clusters?: ArrayLike<string | undefined>,
): PairedDifference | undefined {
  const differences = Float64Array.from(a, (value, i) => (b[i] ?? Number.NaN) - value)
  const estimate = withoutRoundingNoise(differences)
  if (estimate === undefined || estimate.n < 2) return undefined
  const common = { n: estimate.n, difference: estimate.mean, deviation: Math.sqrt(estimate.variance) }
  if (clusters === undefined) {
    const df = estimate.n - 1
    const interval = tInterval(estimate, df)
    return {
      ...common,
      stderr: estimate.stderr,
      df,
      parts: estimate.n,
      interval,
      p: pOf(estimate.mean, estimate.stderr, df),
    }
  }
  const clustered = clusteredMean(differences, clusters)
  if (clustered === undefined) return undefined
  const { cr2: stderr, df, parts, interval } = clustered
  return { ...common, stderr, df, parts, interval, p: pOf(clustered.mean, stderr, df) }
}

/** Sets the deviation of differences that are equal up to rounding to 0. The rounding noise would give a t of 10¹⁶. */
function withoutRoundingNoise(differences: Float64Array): MeanEstimate | undefined {
  const estimate = estimateMean(differences)
  if (estimate === undefined) return undefined
  const largest = differences.reduce((most, difference) => Math.max(most, Math.abs(difference)), 0)
  return Math.sqrt(estimate.variance) <= 1e-12 * largest ? { ...estimate, variance: 0, stderr: 0 } : estimate
}

function pOf(difference: number, stderr: number, df: number): number {
  return difference === 0 ? 1 : tTwoSided(difference / stderr, df)
}

/** The interval of a difference, or the reason why there is none. */
export type DifferenceInterval =
  { readonly interval: Interval } | { readonly none: 'too few clusters' | 'all differences are equal' | 'one pair' }

/**
 * Student's interval, if it has a width and, for 0/1 scores, lies within [−1, 1]. Other 0/1 scores get Newcombe's
 * interval on the effective sample size.
 */
export function differenceInterval(
  test: PairedDifference,
  counts: PairCounts | undefined,
  { isClustered }: { readonly isClustered: boolean },
): DifferenceInterval {
  if (isClustered && hasTooFewClusters(test.df)) return { none: 'too few clusters' }
  const [low, high] = test.interval
  const hasWidth = hasSpread({ mean: test.difference, stderr: test.stderr })
  if (hasWidth && (counts === undefined || (low >= -1 && high <= 1))) return { interval: test.interval }
  if (counts === undefined) return { none: 'all differences are equal' }
  const { n, difference, deviation, stderr, df, parts } = test
  const size = effectiveSize({ n, mean: difference, stderr, df, parts }, { variance: deviation ** 2 })
  return { interval: newcombe(counts, size / n) }
}

/** The numbers of docs that both models got right, only b, only a, and neither. */
export interface PairCounts {
  readonly both: number
  readonly onlyB: number
  readonly onlyA: number
  readonly neither: number
}

/**
 * The interval of the difference b − a of two paired shares, within [−1, 1]. Each pair counts as `weight` docs.
 *
 * Source: Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
 * data", Statistics in Medicine 17 (1998), method 10.
 */
function newcombe({ both, onlyB, onlyA, neither }: PairCounts, weight = 1): Interval {
  const n = weight * (both + onlyB + onlyA + neither)
  const [hitsB, hitsA] = [weight * (both + onlyB), weight * (both + onlyA)]
  const [shareB, shareA] = [hitsB / n, hitsA / n]
  const [[lowB, highB], [lowA, highA]] = [wilson(hitsB, n), wilson(hitsA, n)]
  const phi = correlation({ both, onlyB, onlyA, neither }, weight)
  const reach = (below: number, above: number): number =>
    Math.sqrt(Math.max(0, below * below - 2 * phi * below * above + above * above))
  const difference = shareB - shareA
  return [difference - reach(shareB - lowB, highA - shareA), difference + reach(highB - shareB, shareA - lowA)]
}

/**
 * The correlation of the two scores, with Newcombe's correction for continuity if it is positive. It is 0 if one of
 * the scores is constant.
 */
function correlation({ both, onlyB, onlyA, neither }: PairCounts, weight: number): number {
  const n = weight * (both + onlyB + onlyA + neither)
  const margins = (both + onlyB) * (onlyA + neither) * (both + onlyA) * (onlyB + neither) * weight ** 4
  if (margins === 0) return 0
  const product = weight * weight * (both * neither - onlyB * onlyA)
  return (product > 0 ? Math.max(product - n / 2, 0) : product) / Math.sqrt(margins)
}
