import { defineMetric } from '../define-metric.js'
import { judgeYesNoPair, yesNoArgs } from './reading/yes-no.js'

/**
 * The share of right ones among the answers "yes": 0 to 1. Higher is better.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoPrecision = defineMetric({
  id: 'yes_no_precision',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_precision',
  judge: judgeYesNoPair,
})
