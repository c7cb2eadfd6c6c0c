import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { logLossOf } from '../metrics/probability/proper-scores.js'
import { meanLoss } from './forecasts/forecast-fold.js'

/** The mean of −ln p of the class, from `[index of the class, probabilities]`. Source: scikit-learn 1.9.1, `log_loss`. */
export const logLoss = defineAggregation({
  id: 'log_loss',
  of: 'folded',
  args: z.object({}),
  start: () => meanLoss(logLossOf),
})
