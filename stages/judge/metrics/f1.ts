import { defineMetric } from '../define-metric.js'
import { classArgs, judgeClass } from './reading/classes.js'

/**
 * F1 of classes, in [0, 1]: of the class `pos_label` (`average: binary`), or averaged over classes. Higher is better. For what a doc's
 * target and answer are, see {@link judgeClass}.
 *
 * Source: scikit-learn 1.9.1, `f1_score`; lm-evaluation-harness, `api/metrics.py`, f1.
 */
export const f1 = defineMetric({
  id: 'f1',
  args: classArgs,
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'f1',
  judge: judgeClass,
})
