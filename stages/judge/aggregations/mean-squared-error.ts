import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { deviationFold } from './numbers/deviation-fold.js'

/** The mean of (answer − target)², from `[target, answer]`. Source: scikit-learn 1.9.1, `mean_squared_error`. */
export const meanSquaredError = defineAggregation({
  id: 'mean_squared_error',
  of: 'folded',
  args: z.object({}),
  start: () => deviationFold(sums => sums.meanSquared()),
})
