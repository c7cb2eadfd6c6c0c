import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { byteCount, judgeLikelihood } from './reading/likelihood.js'

/**
 * The perplexity of the target texts by byte of UTF-8: exp(−Σ log-likelihood / Σ bytes) over all docs, at least 1. Lower is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const bytePerplexity = defineMetric({
  id: 'byte_perplexity',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'weighted_perplexity',
  judge: input => judgeLikelihood(input, byteCount),
})
