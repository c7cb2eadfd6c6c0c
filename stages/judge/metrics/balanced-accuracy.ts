import { defineMetric } from '../define-metric.js'
import { labelArgs, judgeClass } from './reading/classes.js'

/**
 * The mean recall of the classes, in [0, 1]. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `balanced_accuracy_score`.
 */
export const balancedAccuracy = defineMetric({
  id: 'balanced_accuracy',
  args: labelArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'balanced_accuracy',
  judge: judgeClass,
})
