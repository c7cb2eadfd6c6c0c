/** Intervals of a median. */
import { interpolatePercentile } from '../../../../base/collections/percentile.js'
import { clusteredMean } from '../clusters/clustered-mean.js'
import { tQuantile } from '../distributions/student-t.js'
import { hasTooFewClusters } from './bounded-interval.js'
import type { Interval, NoResult } from './interval.js'

/**
 * The interval between the k-th lowest and the k-th highest value, which covers the median of any continuous distribution
 * with at least 95 %. Undefined for fewer than six values.
 *
 * Source: Conover, "Practical Nonparametric Statistics" (1999), section 3.2.
 */
export function medianInterval(sorted: Float64Array): Interval | undefined {
  const n = sorted.length
  // The logarithms of binomial probabilities of ½ stay finite for many values.
  let log = -n * Math.LN2
  let below = Math.exp(log)
  if (below > 0.025) return undefined
  let k = 0
  while (below <= 0.025) {
    k += 1
    log += Math.log((n - k + 1) / k)
    below += Math.exp(log)
  }
  return [sorted[k - 1] ?? Number.NaN, sorted[n - k] ?? Number.NaN]
}

/**
 * The interval of the median of values in clusters: the quantiles at the ends of the interval of the share of values up
 * to the median.
 *
 * Source: Woodruff, "Confidence Intervals for Medians and Other Position Measures", JASA 47 (1952).
 */
export function clusteredMedianInterval(
  values: Float64Array,
  clusters: ArrayLike<string | undefined>,
): { readonly interval: Interval } | NoResult {
  const sorted = values.toSorted()
  const median = interpolatePercentile(sorted, 50)
  const estimate = clusteredMean(
    Array.from(values, value => (value < median ? 1 : value === median ? 0.5 : 0)),
    clusters,
  )
  if ('none' in estimate) return estimate
  if (hasTooFewClusters(estimate.df))
    return { none: `the docs come in ${estimate.clusters} clusters, and it takes at least 5 of about one size` }
  const half = 100 * estimate.cr2 * tQuantile(0.975, estimate.df)
  return {
    interval: [
      interpolatePercentile(sorted, Math.max(0, 50 - half)),
      interpolatePercentile(sorted, Math.min(100, 50 + half)),
    ],
  }
}
