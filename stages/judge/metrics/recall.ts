import { defineMetric } from '../define-metric.js'
import { classArgs, judgeClass } from './reading/classes.js'

/**
 * The share of a class's docs that are answered with it, in [0, 1], averaged as `f1` is. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `recall_score`.
 */
export const recall = defineMetric({
  id: 'recall',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'recall',
  judge: judgeClass,
})
