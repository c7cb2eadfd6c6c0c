import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { accuracyOf } from '../metrics/classification/agreement.js'
import { classFold } from './classes/class-fold.js'

/** The share of right ones, in [0, 1], from `[target, answer]`. Source: scikit-learn 1.9.1, `accuracy_score`. */
export const accuracy = defineAggregation({
  id: 'accuracy',
  of: 'folded',
  args: z.object({}),
  start: () => classFold(accuracyOf),
})
