import { defineMetric } from '../define-metric.js'
import { classArgs, judgeClass } from './reading/classes.js'

/**
 * The docs that are of a class and answered with it, over those that are either: in [0, 1], averaged as `f1` is. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `jaccard_score`.
 */
export const jaccard = defineMetric({
  id: 'jaccard',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'jaccard',
  judge: judgeClass,
})
