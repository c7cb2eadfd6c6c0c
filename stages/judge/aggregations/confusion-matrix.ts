import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { confusionMatrix as matrixOf } from '../metrics/classification/confusion.js'
import { classFold, label } from './classes/class-fold.js'

/**
 * The table of targets (rows) and answers (columns), as the note of an aggregate that has no number itself; from `[target, answer]`.
 * `normalize` gives shares of the row (`true`), the column (`pred`) or everything (`all`).
 *
 * Source: scikit-learn 1.9.1, `confusion_matrix`.
 */
export const confusionMatrix = defineAggregation({
  id: 'confusion_matrix',
  of: 'folded',
  args: z.object({
    labels: z.array(label).min(1).optional(),
    normalize: z.union([z.enum(['true', 'pred', 'all']), z.literal(true).transform(() => 'true' as const)]).optional(),
  }),
  start: ({ labels, normalize }) =>
    classFold(confusion => {
      const table = matrixOf(confusion, { ...(labels && { labels }), ...(normalize && { normalize }) })
      return { ...bare(null), note: JSON.stringify({ labels: labels ?? confusion.labels(), table }) }
    }),
})
