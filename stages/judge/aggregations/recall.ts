import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { averageRate } from '../metrics/classification/f-scores.js'
import { classFold, classShape } from './classes/class-fold.js'

/**
 * The share of a class's docs that are answered with it, in [0, 1], from `[target, answer]`.
 *
 * Source: scikit-learn 1.9.1, `recall_score`.
 */
export const recall = defineAggregation({
  id: 'recall',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'recall', options)),
})
