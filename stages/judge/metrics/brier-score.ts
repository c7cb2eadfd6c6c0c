import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { brierOf } from './probability/proper-scores.js'
import { forecastOf, onlyGold } from './reading/forecast.js'

/**
 * Σ (p − [right])² over the choices, where p is softmax of their log-likelihoods: 0 to 2, 0 for certainty of the right one. Lower is better.
 *
 * Source: Brier 1950; lm-evaluation-harness, `api/metrics.py`, brier_score.
 */
export const brierScore = defineMetric({
  id: 'brier_score',
  args: z.strictObject({}),
  higherIsBetter: false,
  range: [0, 2],
  reads: 'logprobs',
  judge(input) {
    const forecast = forecastOf(input)
    return scored(brierOf(forecast.probabilities, onlyGold(forecast)))
  },
})
