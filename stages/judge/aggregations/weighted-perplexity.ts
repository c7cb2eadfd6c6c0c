import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { weightedFold } from './numbers/weighted-fold.js'

/**
 * exp(−Σ log-likelihood / Σ length) over all docs, at least 1, from `[log-likelihood, length]`.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, weighted_perplexity.
 */
export const weightedPerplexity = defineAggregation({
  id: 'weighted_perplexity',
  of: 'folded',
  args: z.object({}),
  start: () => weightedFold(mean => Math.exp(-mean)),
})
