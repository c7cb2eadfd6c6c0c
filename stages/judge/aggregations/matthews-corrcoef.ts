import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { matthewsCorrelation } from '../metrics/classification/agreement.js'
import { classFold } from './classes/class-fold.js'

/** Matthews' correlation of targets and answers, in [−1, 1], from `[target, answer]`. Source: scikit-learn 1.9.1, `matthews_corrcoef`. */
export const matthewsCorrcoef = defineAggregation({
  id: 'matthews_corrcoef',
  of: 'folded',
  args: z.object({}),
  start: () => classFold(matthewsCorrelation),
})
