import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { calibrationShape } from '../aggregations/forecasts/calibration-fold.js'
import { forecastOf } from './reading/forecast.js'

/**
 * The largest gap of those that `ece` averages, in [0, 1]. Lower is better.
 *
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const mce = defineMetric({
  id: 'mce',
  args: z.strictObject(calibrationShape),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'mce',
  judge(input) {
    const { probabilities, golds, answer } = forecastOf(input)
    return scored([probabilities[answer] ?? 0, golds.includes(answer) ? 1 : 0])
  },
})
