import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { averageRate } from '../metrics/classification/f-scores.js'
import { classFold, classShape } from './classes/class-fold.js'

/**
 * Fβ of all docs, in [0, 1], from `[target, answer]`: as `f1`, with recall `beta` times as important as precision.
 *
 * Source: scikit-learn 1.9.1, `fbeta_score`.
 */
export const fbeta = defineAggregation({
  id: 'fbeta',
  of: 'folded',
  args: z.object({ ...classShape, beta: z.number().min(0).default(1) }),
  start: options => classFold(confusion => averageRate(confusion, 'f', options)),
})
