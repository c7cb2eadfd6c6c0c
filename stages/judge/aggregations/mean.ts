import { bare, defineAggregation, withoutInterval, type Summary } from '../define-aggregation.js'
import { hasTooFewClusters, intervalWithin, type Interval } from '../statistics/bounded-interval.js'
import { meanBounds } from '../statistics/bounds.js'
import { clusteredMean, isEachInCluster } from '../statistics/clustered-mean.js'
import { estimateMean, meanInterval } from '../statistics/mean.js'
import { wilson } from '../statistics/proportion.js'

/**
 * The arithmetic mean with the standard error of the sample. The 95 % interval is Wilson's where every value is 0 or 1, which holds near
 * the ends and for few docs too, else Student's. Where docs come in clusters, both are the cluster-robust ones (CR2). Where Student's
 * interval would leave the metric's range, or have no width, it is Wilson's on the effective sample size.
 */
export const mean = defineAggregation({
  id: 'mean',
  of: 'numbers',
  summarise: (values, _parity, range) => summariseMean(values, range),
  summariseClustered: summariseClusteredMean,
  bounds: (values, missing, range) =>
    meanBounds(estimateMean(values) ?? { n: 0, mean: 0 }, values.length + missing, range),
})

export function summariseMean(values: Float64Array, range?: Interval): Summary {
  const estimate = meanInterval(values)
  if (estimate === undefined) return bare(null)
  const { n, mean: value, stderr, interval } = estimate
  if (isBinary(values)) {
    const successes = values.reduce((sum, one) => sum + one, 0)
    return { value, stderr, interval: wilson(successes, n), intervalMethod: 'wilson' }
  }
  if (stderr === null || interval === null) return bare(value)
  const within = intervalWithin({ n, mean: value, stderr, df: n - 1, parts: n, interval }, range)
  if (within === undefined) return { ...bare(value), stderr, note: noSpread('docs') }
  return { value, stderr, interval: within.interval, intervalMethod: within.method }
}

/** Nothing where a doc belongs to no cluster. */
export function summariseClusteredMean(
  values: Float64Array,
  clusters: ArrayLike<string | undefined>,
  range?: Interval,
): Summary | undefined {
  if (!isEachInCluster(values, clusters)) return undefined
  const estimate = clusteredMean(values, clusters)
  if (estimate === undefined) return { ...bare(estimateMean(values)?.mean ?? null), note: tooFew(1) }
  const { mean: value, cr2: stderr, df } = estimate
  if (hasTooFewClusters(df)) return { ...bare(value), stderr, note: tooFew(estimate.clusters) }
  const within = intervalWithin({ ...estimate, stderr }, isBinary(values) ? [0, 1] : range)
  if (within === undefined) return { ...bare(value), stderr, note: noSpread('clusters') }
  const method = within.method === 't' ? 'clustered' : 'clustered_wilson'
  return { value, stderr, interval: within.interval, intervalMethod: method }
}

const isBinary = (values: Float64Array): boolean => values.every(one => one === 0 || one === 1)

const tooFew = (clusters: number): string =>
  `${withoutInterval}: the docs come in ${clusters === 1 ? 'one cluster' : `${clusters} clusters`}, and it takes at least 5 of about one size`

const noSpread = (of: 'docs' | 'clusters'): string =>
  `${withoutInterval}: all ${of} have the same ${of === 'docs' ? 'value' : 'mean'}, and the metric's range is not known`
