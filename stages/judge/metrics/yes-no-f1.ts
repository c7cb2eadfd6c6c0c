import { defineMetric } from '../define-metric.js'
import { judgeYesNoPair, yesNoArgs } from './reading/yes-no.js'

/**
 * The harmonic mean of precision and recall of "yes": 0 to 1. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoF1 = defineMetric({
  id: 'yes_no_f1',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_f1',
  judge: judgeYesNoPair,
})
