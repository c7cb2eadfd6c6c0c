import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { calibrationShape } from '../aggregations/forecasts/calibration-fold.js'
import { forecastOf } from './reading/forecast.js'

/**
 * The expected calibration error of the choices' probabilities (softmax of their log-likelihoods): the mean gap of confidence and
 * accuracy, in [0, 1]. Lower is better.
 *
 * Source: Guo et al. 2017 (https://arxiv.org/abs/1706.04599).
 */
export const ece = defineMetric({
  id: 'ece',
  args: z.strictObject(calibrationShape),
  higherIsBetter: false,
  reads: 'logprobs',
  aggregation: 'ece',
  judge(input) {
    const { probabilities, golds, answer } = forecastOf(input)
    return scored([probabilities[answer] ?? 0, golds.includes(answer) ? 1 : 0])
  },
})
