import { createSeededRandom } from '../../../../base/values/seeded-random.js'
import { checkClusters, numberClusters } from '../clusters/number-clusters.js'
import type { Interval, NoResult } from '../intervals/interval.js'
import { computeBootstrapIntervals, computeReplicates } from './bootstrap.js'
import { computeWithoutGroups } from './jackknife.js'
import { prepareStatistic, type Statistic } from './statistic.js'
import type { UnitStatistic } from './units.js'

interface BootstrapOptions {
  /** The cluster of each doc. Docs of a cluster are drawn together. */
  readonly clusters?: ArrayLike<string | undefined> | undefined
  /** The number of resamples. @default 2000 */
  readonly resamples?: number
  /** The seed of the draws, a whole number below 2³². @default 0 */
  readonly seed?: number
  /** The coverage. @default 0.95 */
  readonly level?: number
}

/** A bootstrap interval. */
export interface BootstrapInterval {
  /** The number of docs. */
  readonly n: number
  /** The number of units that are drawn: clusters, or docs. */
  readonly units: number
  readonly estimate: number
  readonly stderr: number
  /** The bias-corrected and accelerated interval. */
  readonly interval: Interval
  readonly percentile: Interval
  readonly bias: number
  readonly acceleration: number
  /** The number of resamples that have a value. */
  readonly resamples: number
}

/** The largest share of resamples without a value, such as F1 of a resample without positive docs. */
const mostUndefined = 0.05

/** The most leave-out values of a statistic that is not one of sums, each of which reads all docs. */
const mostLeftOut = 1_000

/**
 * Computes a seeded bootstrap interval (BCa) of a statistic of docs. The same seed gives the
 * same interval. It has no result for fewer than two units, or if the statistic does not vary.
 *
 * With more than 1000 units, the acceleration of a statistic that is not one of sums comes from 1000 groups of units.
 *
 * Sources: Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987); Davison and Hinkley, "Bootstrap Methods and
 * their Application" (1997), section 3.8, for the resampling of whole clusters.
 */
export function bootstrapInterval<Doc>(
  docs: ArrayLike<Doc>,
  statistic: Statistic<Doc>,
  { clusters, resamples = 2_000, seed = 0, level = 0.95 }: BootstrapOptions = {},
): BootstrapInterval | NoResult {
  const refusal = clusters === undefined ? undefined : checkClusters(docs, clusters)
  if (refusal !== undefined) return refusal
  const prepared = prepareStatistic(docs, statistic, clusters && numberClusters(clusters))
  const { units } = prepared
  if (units < 2) return { none: clusters === undefined ? 'fewer than 2 docs' : 'fewer than 2 clusters' }
  const groups = typeof statistic === 'function' ? Math.min(units, mostLeftOut) : units
  const bootstrap = bootstrapUnits(prepared, { resamples, seed, level, groups })
  return 'none' in bootstrap ? bootstrap : { n: docs.length, units, estimate: prepared.estimate, ...bootstrap }
}

/**
 * Computes the interval of {@link bootstrapInterval} for a prepared statistic. The acceleration comes from leaving out
 * each of `groups` groups of units.
 */
export function bootstrapUnits(
  prepared: UnitStatistic,
  { resamples, seed, level, groups }: Required<Omit<BootstrapOptions, 'clusters'>> & { readonly groups: number },
): Omit<BootstrapInterval, 'n' | 'units' | 'estimate'> | NoResult {
  const { units, estimate } = prepared
  if (!Number.isFinite(estimate)) return { none: 'the statistic of all docs is undefined' }
  const replicates = computeReplicates(prepared, drawUnits(units, resamples, seed)).filter(Number.isFinite)
  if (replicates.length < (1 - mostUndefined) * resamples)
    return { none: `the statistic is undefined for ${resamples - replicates.length} of ${resamples} resamples` }
  const leaveOneOut = computeWithoutGroups(prepared, groups)
  const { stderr, percentile, bca } = computeBootstrapIntervals({ estimate, replicates, leaveOneOut, level })
  if ('none' in bca) return bca
  return { stderr, percentile, ...bca, resamples: replicates.length }
}

/** Draws units with replacement. Each yielded list is overwritten by the next. */
function* drawUnits(units: number, resamples: number, seed: number): Generator<Uint32Array> {
  const next = createSeededRandom(seed)
  const drawn = new Uint32Array(units)
  for (let resample = 0; resample < resamples; resample++) {
    // The product is below 2⁵³, and a unit is at most units / 2³² more likely than another.
    for (let at = 0; at < units; at++) drawn[at] = (next() * units) / 2 ** 32
    yield drawn
  }
}
