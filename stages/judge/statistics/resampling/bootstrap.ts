/** Bootstrap distributions of a statistic, and the intervals that follow from them. */
import { interpolatePercentile } from '../../../../base/collections/percentile.js'
import { normalCdf, normalQuantile } from '../distributions/normal.js'
import type { Interval, NoResult } from '../intervals/interval.js'
import { estimateMean } from '../intervals/mean.js'
import { computeAcceleration } from './jackknife.js'
import type { UnitStatistic } from './units.js'

/** Computes the statistic of each resample. A list of draws may be overwritten by the next. */
export function computeReplicates(
  { computeForUnits }: UnitStatistic,
  draws: Iterable<ArrayLike<number>>,
): Float64Array {
  const replicates: number[] = []
  for (const drawn of draws) replicates.push(computeForUnits(drawn))
  return Float64Array.from(replicates)
}

/** The intervals of a bootstrap distribution. */
export interface BootstrapIntervals {
  /** The standard deviation of the replicates. */
  readonly stderr: number
  /** The quantiles of the replicates. */
  readonly percentile: Interval
  /** The estimate minus the quantiles' distances from it: 2 · estimate − quantile. */
  readonly basic: Interval
  /** The bias-corrected and accelerated interval. */
  readonly bca: BcaInterval | NoResult
}

/** A bias-corrected and accelerated interval. */
export interface BcaInterval {
  readonly interval: Interval
  /** The bias correction z₀: the normal quantile of the share of replicates below the estimate. */
  readonly bias: number
  readonly acceleration: number
}

interface BootstrapDistribution {
  readonly estimate: number
  readonly replicates: Float64Array
  /** The statistic without each unit, for the acceleration. */
  readonly leaveOneOut: Float64Array
  /** The coverage. @default 0.95 */
  readonly level?: number
}

/**
 * Computes the intervals of a bootstrap distribution.
 *
 * Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapters 13 and 14.
 */
export function computeBootstrapIntervals(distribution: BootstrapDistribution): BootstrapIntervals {
  const { estimate, replicates, level = 0.95 } = distribution
  const sorted = replicates.toSorted()
  const low = interpolatePercentile(sorted, 50 * (1 - level))
  const high = interpolatePercentile(sorted, 50 * (1 + level))
  return {
    stderr: Math.sqrt(estimateMean(replicates)?.variance ?? Number.NaN),
    percentile: [low, high],
    basic: [2 * estimate - high, 2 * estimate - low],
    bca: computeBca({ ...distribution, level }, sorted),
  }
}

function computeBca(
  { estimate, leaveOneOut, level }: Required<BootstrapDistribution>,
  sorted: Float64Array,
): BcaInterval | NoResult {
  const acceleration = computeAcceleration(leaveOneOut)
  if (acceleration === undefined) return { none: 'no unit changes the value' }
  const bias = normalQuantile(rankEstimate(estimate, sorted))
  if (!Number.isFinite(bias)) return { none: 'all resamples are on one side of the value' }
  const findEnd = (p: number): number => {
    const z = bias + normalQuantile(p)
    return interpolatePercentile(sorted, 100 * normalCdf(bias + z / (1 - acceleration * z)))
  }
  return { interval: [findEnd((1 - level) / 2), findEnd((1 + level) / 2)], bias, acceleration }
}

/** Computes the share of replicates below the estimate. Those that equal it up to rounding count half. */
function rankEstimate(estimate: number, sorted: Float64Array): number {
  const rounding = 1e-13 * Math.max(Math.abs(estimate), Math.abs(sorted[0] ?? 0), Math.abs(sorted.at(-1) ?? 0))
  let share = 0
  for (const replicate of sorted) {
    if (replicate < estimate - rounding) share += 1
    else if (replicate <= estimate + rounding) share += 0.5
  }
  return share / sorted.length
}
