import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { logLossOf } from './probability/proper-scores.js'
import { forecastOf, onlyGold } from './reading/forecast.js'

/**
 * −ln p of the right choice, where p is softmax of the choices' log-likelihoods: 0 to 36.04. Lower is better.
 *
 * Source: scikit-learn 1.9.1, `log_loss`.
 */
export const logLoss = defineMetric({
  id: 'log_loss',
  args: z.strictObject({}),
  higherIsBetter: false,
  reads: 'logprobs',
  judge(input) {
    const forecast = forecastOf(input)
    return scored(logLossOf(forecast.probabilities, onlyGold(forecast)))
  },
})
