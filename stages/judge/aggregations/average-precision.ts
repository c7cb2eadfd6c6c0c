import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { averagePrecision as precisionOf } from '../metrics/probability/ranking.js'
import { label } from './classes/class-fold.js'
import { rankingFold } from './forecasts/ranking-fold.js'

/** The mean precision at the score of each positive, 0 to 1, from `[class, score]`. Source: scikit-learn 1.9.1, `average_precision_score`. */
export const averagePrecision = defineAggregation({
  id: 'average_precision',
  of: 'folded',
  args: z.object({ pos_label: label.default(1) }),
  start: ({ pos_label: positive }) => rankingFold({ positive, ofTwo: precisionOf }),
})
