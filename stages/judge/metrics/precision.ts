import { defineMetric } from '../define-metric.js'
import { classArgs, judgeClass } from './reading/classes.js'

/**
 * The share of right ones among the answers of a class, in [0, 1], averaged as `f1` is. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `precision_score`.
 */
export const precision = defineMetric({
  id: 'precision',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'precision',
  judge: judgeClass,
})
