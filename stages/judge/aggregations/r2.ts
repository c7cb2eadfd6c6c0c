import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { deviationFold } from './numbers/deviation-fold.js'

/**
 * The share of the targets' variance that the answers explain, at most 1, from `[target, answer]`. Source: scikit-learn 1.9.1, `r2_score`.
 */
export const r2 = defineAggregation({
  id: 'r2',
  of: 'folded',
  args: z.object({}),
  start: () => deviationFold(sums => sums.r2()),
})
