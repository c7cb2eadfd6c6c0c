import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { averageRate } from '../metrics/classification/f-scores.js'
import { classFold, classShape } from './classes/class-fold.js'

/**
 * The docs that are of a class and answered with it, over those that are either, in [0, 1], from `[target, answer]`.
 *
 * Source: scikit-learn 1.9.1, `jaccard_score`.
 */
export const jaccard = defineAggregation({
  id: 'jaccard',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'jaccard', options)),
})
