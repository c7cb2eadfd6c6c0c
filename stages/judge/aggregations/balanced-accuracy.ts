import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { balancedAccuracy as balancedAccuracyOf } from '../metrics/classification/agreement.js'
import { classFold } from './classes/class-fold.js'

/** The mean recall of the classes, in [0, 1], from `[target, answer]`. Source: scikit-learn 1.9.1, `balanced_accuracy_score`. */
export const balancedAccuracy = defineAggregation({
  id: 'balanced_accuracy',
  of: 'folded',
  args: z.object({}),
  start: () => classFold(balancedAccuracyOf),
})
