import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { averageRate } from '../metrics/classification/f-scores.js'
import { classFold, classShape } from './classes/class-fold.js'

/**
 * F1 of all docs, in [0, 1], from `[target, answer]`: the harmonic mean of precision and recall, of one class or averaged over classes.
 *
 * Source: scikit-learn 1.9.1, `f1_score`.
 */
export const f1 = defineAggregation({
  id: 'f1',
  of: 'folded',
  args: z.object(classShape),
  start: options => classFold(confusion => averageRate(confusion, 'f', options)),
})
