import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { weightedFold } from './numbers/weighted-fold.js'

/**
 * −Σ log₂-likelihood / Σ bytes over all docs, from `[log-likelihood, bytes]`.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, bits_per_byte.
 */
export const bitsPerByte = defineAggregation({
  id: 'bits_per_byte',
  of: 'folded',
  args: z.object({}),
  start: () => weightedFold(mean => -mean / Math.LN2),
})
