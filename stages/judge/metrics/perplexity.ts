import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'

/**
 * The perplexity of the continuations: exp(−mean log-likelihood of a doc), not per token. In [1, ∞), lower is better.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, perplexity.
 */
export const perplexity = defineMetric({
  id: 'perplexity',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'perplexity',
  judge({ bodies }) {
    const logprob = bodies[0]?.logprob
    if (logprob === undefined) throw new Error('the answer has no log-likelihood')
    return scored(logprob)
  },
})
