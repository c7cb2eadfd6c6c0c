import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { rocAuc as areaOf, rocAucOfClasses } from '../metrics/probability/ranking.js'
import { label } from './classes/class-fold.js'
import { rankingFold } from './forecasts/ranking-fold.js'

/**
 * The area under the ROC curve, 0 to 1, from `[class, score]`, or `[index of the class, score of each class]`: then `multi_class` says
 * whether each class stands against the rest (`ovr`) or against each other one (`ovo`). No value where all docs are of one class.
 *
 * Source: scikit-learn 1.9.1, `roc_auc_score`.
 */
export const rocAuc = defineAggregation({
  id: 'roc_auc',
  of: 'folded',
  args: z.object({
    pos_label: label.default(1),
    max_fpr: z.number().gt(0).max(1).default(1),
    multi_class: z.enum(['ovr', 'ovo']).optional(),
    average: z.enum(['macro', 'weighted']).default('macro'),
  }),
  start: ({ pos_label: positive, max_fpr: maxRate, multi_class: form, average }) =>
    rankingFold({
      positive,
      ofTwo: docs => areaOf(docs, maxRate),
      ofSeveral(docs) {
        if (form === undefined) throw new Error('there are more than two classes: set multi_class to ovr or ovo')
        return rocAucOfClasses(docs, { multi_class: form, average })
      },
    }),
})
