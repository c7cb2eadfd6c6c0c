import { defineAggregation } from '../define-aggregation.js'
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
    if (estimate === undefined) return { value: null, stderr: null, interval: null, intervalMethod: 'none' }
    const value = Math.exp(-estimate.mean)
    if (estimate.interval === null || estimate.stderr === null) {
      return { value, stderr: null, interval: null, intervalMethod: 'none' }
    }
    const [low, high] = estimate.interval
    return {
      value,
      stderr: estimate.stderr * value,
      interval: [Math.exp(-high), Math.exp(-low)],
      intervalMethod: 't',
    }
  },
})
