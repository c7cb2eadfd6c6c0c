import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { brierOf } from '../metrics/probability/proper-scores.js'
import { meanLoss } from './forecasts/forecast-fold.js'

/** The mean of Σ (p − [class])², 0 to 2, from `[index of the class, probabilities]`. Source: lm-evaluation-harness, `api/metrics.py`. */
export const brierScore = defineAggregation({
  id: 'brier_score',
  of: 'folded',
  args: z.object({}),
  start: () => meanLoss(brierOf),
})
