import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { deviationFold } from './numbers/deviation-fold.js'

/** The mean of |answer − target|, from `[target, answer]`. Source: scikit-learn 1.9.1, `mean_absolute_error`. */
export const meanAbsoluteError = defineAggregation({
  id: 'mean_absolute_error',
  of: 'folded',
  args: z.object({}),
  start: () => deviationFold(sums => sums.meanAbsolute()),
})
