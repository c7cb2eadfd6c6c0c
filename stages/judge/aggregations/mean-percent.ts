import { defineAggregation, type Summary } from '../define-aggregation.js'
import { meanBounds } from '../statistics/bounds.js'
import { estimateMean } from '../statistics/mean.js'
import { summariseClusteredMean, summariseMean } from './mean.js'

/** 100 times the mean, with the same interval: for benchmarks that publish per cent. Docs' own values stay fractions. */
export const meanPercent = defineAggregation({
  id: 'mean_percent',
  of: 'numbers',
  summarise: (values, _parity, range) => inPercent(summariseMean(values, range)),
  summariseClustered(values, clusters, range) {
    const summary = summariseClusteredMean(values, clusters, range)
    return summary && inPercent(summary)
  },
  bounds(values, missing, range) {
    const [low, high] = meanBounds(estimateMean(values) ?? { n: 0, mean: 0 }, values.length + missing, range)
    return [100 * low, 100 * high]
  },
})

function inPercent({ value, stderr, interval, ...rest }: Summary): Summary {
  return {
    value: value === null ? null : 100 * value,
    stderr: stderr === null ? null : 100 * stderr,
    interval: interval === null ? null : [100 * interval[0], 100 * interval[1]],
    ...rest,
  }
}
