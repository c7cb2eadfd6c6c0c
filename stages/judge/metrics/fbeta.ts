import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { classArgs, judgeClass } from './reading/classes.js'

/**
 * Fβ of classes, in [0, 1]: as `f1`, with recall `beta` times as important as precision. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `fbeta_score`.
 */
export const fbeta = defineMetric({
  id: 'fbeta',
  args: classArgs.extend({ beta: z.number().min(0).default(1) }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'fbeta',
  judge: judgeClass,
})
