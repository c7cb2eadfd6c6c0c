import { clusteredMean } from '../clusters/clustered-mean.js'
import type { Interval, NoResult } from '../intervals/interval.js'
import { estimateMean, testMean, tInterval, type MeanEstimate } from '../intervals/mean.js'

/** The difference b − a between two models on the same docs. */
export interface PairedDifference {
  readonly n: number
  readonly difference: number
  /** Standard deviation of the docs' differences. */
  readonly deviation: number
  readonly stderr: number
  /** Degrees of freedom of the standard error: n − 1, or Bell and McCaffrey's for clusters. */
  readonly df: number
  /** The smallest number of independent pairs. */
  readonly parts: number
  /** The sum of the positive differences. */
  readonly gained: number
  /** The sum of the negative differences, without their sign. */
  readonly lost: number
  /** The size of a doc's difference where there is one: Σd² / Σ|d|, which is 1 for scores of 0 and 1. It is 0 if no doc differs. */
  readonly size: number
  /** The 95 % interval. */
  readonly interval: Interval
  readonly t: number
  /** The two-sided p value of the t test; 1 if nothing differs. */
  readonly p: number
}

/**
 * Runs the paired t test of `b` against `a`. With `clusters` it uses the cluster-robust CR2 with Bell and McCaffrey's
 * degrees of freedom. It has no result with fewer than two pairs or clusters.
 */
export function pairedDifference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  clusters?: ArrayLike<string | undefined>,
): PairedDifference | NoResult {
  if (a.length !== b.length) return { none: 'the two models differ in the number of values' }
  const differences = Float64Array.from(a, (value, i) => (b[i] ?? Number.NaN) - value)
  const estimate = estimateDifferences(differences)
  if (estimate === undefined || estimate.n < 2) return { none: 'fewer than 2 pairs' }
  const { n, mean } = estimate
  const common = { n, difference: mean, deviation: Math.sqrt(estimate.variance), ...sumDifferences(differences) }
  if (clusters === undefined) {
    const { stderr } = estimate
    const df = n - 1
    return { ...common, stderr, df, parts: n, interval: tInterval(estimate, df), ...testMean({ mean, stderr, df }) }
  }
  const clustered = clusteredMean(differences, clusters)
  if ('none' in clustered) return clustered
  const { cr2: stderr, df, parts, interval } = clustered
  return { ...common, stderr, df, parts, interval, ...testMean({ mean: clustered.mean, stderr, df }) }
}

function sumDifferences(differences: Float64Array): Pick<PairedDifference, 'gained' | 'lost' | 'size'> {
  let [gained, lost, squares] = [0, 0, 0]
  for (const difference of differences) {
    if (difference > 0) gained += difference
    else lost -= difference
    squares += difference * difference
  }
  return { gained, lost, size: gained + lost === 0 ? 0 : squares / (gained + lost) }
}

/** Computes the mean difference. Differences that are equal up to rounding have no deviation: the noise would give a t of 10¹⁶. */
function estimateDifferences(differences: Float64Array): MeanEstimate | undefined {
  const estimate = estimateMean(differences)
  if (estimate === undefined) return undefined
  const largest = differences.reduce((most, difference) => Math.max(most, Math.abs(difference)), 0)
  return Math.sqrt(estimate.variance) <= 1e-12 * largest ? { ...estimate, variance: 0, stderr: 0 } : estimate
}
