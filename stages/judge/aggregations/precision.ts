import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { averageRate } from '../metrics/classification/f-scores.js'
import { classFold, classShape } from './classes/class-fold.js'

/**
 * The share of right ones among the answers of a class, in [0, 1], from `[target, answer]`.
 *
 * Source: scikit-learn 1.9.1, `precision_score`.
 */
export const precision = defineAggregation({
  id: 'precision',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'precision', options)),
})
