import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { wordCount, judgeLikelihood } from './reading/likelihood.js'

/**
 * The perplexity of the target texts by word: exp(−Σ log-likelihood / Σ words) over all docs, at least 1. Words are what stands between
 * white space, empty ones at the ends among them. Lower is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const wordPerplexity = defineMetric({
  id: 'word_perplexity',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'weighted_perplexity',
  judge: input => judgeLikelihood(input, wordCount),
})
