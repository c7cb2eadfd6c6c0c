import { defineAggregation, type Summary } from '../define-aggregation.js'
import { meanBounds } from '../statistics/bounds.js'
import { clusteredMean } from '../statistics/clustered-mean.js'
import { estimateMean, meanInterval } from '../statistics/mean.js'
import { wilson } from '../statistics/proportion.js'

/**
 * The arithmetic mean with the standard error of the sample. The 95 % interval is Wilson's where every value is 0 or 1, which holds near
 * the ends and for few docs too, else Student's. Where docs come in clusters, both are the cluster-robust ones (CR2).
 */
export const mean = defineAggregation({
  id: 'mean',
  of: 'numbers',
  summarise: summariseMean,
  summariseClustered: summariseClusteredMean,
  bounds: (values, missing, range) =>
    meanBounds(estimateMean(values) ?? { n: 0, mean: 0 }, values.length + missing, range),
})

export function summariseMean(values: Float64Array): Summary {
  const estimate = meanInterval(values)
  if (estimate === undefined) return { value: null, stderr: null, interval: null, intervalMethod: 'none' }
  const { n, mean: value, stderr, interval } = estimate
  if (values.every(one => one === 0 || one === 1)) {
    const successes = values.reduce((sum, one) => sum + one, 0)
    return { value, stderr, interval: wilson(successes, n), intervalMethod: 'wilson' }
  }
  return { value, stderr, interval, intervalMethod: interval === null ? 'none' : 't' }
}

/** Nothing where there are fewer than two clusters, or a doc belongs to none. */
export function summariseClusteredMean(
  values: Float64Array,
  clusters: ArrayLike<string | undefined>,
): Summary | undefined {
  const estimate = clusteredMean(values, clusters)
  if (estimate === undefined) return undefined
  const { mean: value, cr2: stderr, interval } = estimate
  return { value, stderr, interval, intervalMethod: 'clustered' }
}
