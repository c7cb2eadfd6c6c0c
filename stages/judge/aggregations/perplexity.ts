import { bare, defineAggregation, withoutInterval } from '../define-aggregation.js'
import { hasSpread } from '../statistics/bounded-interval.js'
import { meanInterval } from '../statistics/mean.js'

/**
 * exp(−mean) of log-likelihoods. The interval is the mean's t interval, carried over; the standard error is the mean's times the value
 * (delta method).
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, perplexity.
 */
export const perplexity = defineAggregation({
  id: 'perplexity',
  of: 'numbers',
  summarise(values) {
    const estimate = meanInterval(values)
    if (estimate === undefined) return bare(null)
    const value = Math.exp(-estimate.mean)
    if (estimate.interval === null || estimate.stderr === null) return bare(value)
    if (!hasSpread({ mean: estimate.mean, stderr: estimate.stderr }))
      return { ...bare(value), stderr: 0, note: `${withoutInterval}: all docs have the same value` }
    const [low, high] = estimate.interval
    return {
      value,
      stderr: estimate.stderr * value,
      interval: [Math.exp(-high), Math.exp(-low)],
      intervalMethod: 't',
    }
  },
})
