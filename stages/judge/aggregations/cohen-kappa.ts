import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { cohenKappa as kappaOf } from '../metrics/classification/agreement.js'
import { classFold } from './classes/class-fold.js'

/**
 * Cohen's kappa of targets and answers, at most 1, from `[target, answer]`. With `weights`, classes that are near to each other in their
 * order disagree less. No value where there is one class only.
 *
 * Source: scikit-learn 1.9.1, `cohen_kappa_score`.
 */
export const cohenKappa = defineAggregation({
  id: 'cohen_kappa',
  of: 'folded',
  args: z.object({
    weights: z
      .enum(['none', 'linear', 'quadratic'])
      .nullish()
      .transform(weights => weights ?? 'none'),
  }),
  start: ({ weights }) => classFold(confusion => kappaOf(confusion, weights)),
})
