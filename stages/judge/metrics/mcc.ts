import { defineMetric } from '../define-metric.js'
import { labelArgs, judgeClass } from './reading/classes.js'

/**
 * Matthews' correlation of targets and answers, for any number of classes: −1 to 1, 0 for no relation. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `matthews_corrcoef`; lm-evaluation-harness, `api/metrics.py`, mcc.
 */
export const mcc = defineMetric({
  id: 'mcc',
  args: labelArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'matthews_corrcoef',
  judge: judgeClass,
})
