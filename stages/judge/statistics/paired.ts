import { clusteredMean } from './clustered-mean.js'
import { estimateMean, tInterval, type MeanEstimate } from './mean.js'
import { tTwoSided } from './t.js'

/** How far two models are apart on the same docs: b − a. */
export interface PairedDifference {
  readonly n: number
  readonly difference: number
  /** Standard deviation of the docs' differences. */
  readonly deviation: number
  readonly stderr: number
  readonly df: number
  /** How many independent pairs these are at least. */
  readonly parts: number
  /** 95 %. */
  readonly interval: readonly [number, number]
  /** Two-sided, of the t test; 1 where nothing differs. */
  readonly p: number
}

/**
 * The paired t test of `b` against `a`; with `clusters`, by the cluster-robust CR2 with Bell and McCaffrey's degrees of
 * freedom. Undefined with fewer than two pairs, or fewer than two clusters.
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

/** Differences that are equal up to rounding have no deviation: what is left of it would make up a t of 10¹⁶. */
function withoutRoundingNoise(differences: Float64Array): MeanEstimate | undefined {
  const estimate = estimateMean(differences)
  if (estimate === undefined) return undefined
  const largest = differences.reduce((most, difference) => Math.max(most, Math.abs(difference)), 0)
  return Math.sqrt(estimate.variance) <= 1e-12 * largest ? { ...estimate, variance: 0, stderr: 0 } : estimate
}

function pOf(difference: number, stderr: number, df: number): number {
  return difference === 0 ? 1 : tTwoSided(difference / stderr, df)
}
