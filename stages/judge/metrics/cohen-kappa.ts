import { z } from 'zod'
import { defineMetric } from '../define-metric.js'
import { labelArgs, judgeClass } from './reading/classes.js'

/**
 * Cohen's kappa of targets and answers: 1 is perfect, 0 what the frequencies of classes alone would give. Higher is better.
 *
 * Source: scikit-learn 1.9.1, `cohen_kappa_score`.
 */
export const cohenKappa = defineMetric({
  id: 'cohen_kappa',
  args: labelArgs.extend({ weights: z.enum(['none', 'linear', 'quadratic']).nullish() }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'cohen_kappa',
  judge: judgeClass,
})
