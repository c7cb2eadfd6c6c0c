import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { byteCount, judgeLikelihood } from './reading/likelihood.js'

/**
 * Bits that the model needs for a byte of UTF-8 of the target texts: −Σ log₂-likelihood / Σ bytes over all docs. Lower is better.
 *
 * Source: lm-evaluation-harness, `api/task.py`, process_results.
 */
export const bitsPerByte = defineMetric({
  id: 'bits_per_byte',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'bits_per_byte',
  judge: input => judgeLikelihood(input, byteCount),
})
