import { defineMetric } from '../define-metric.js'
import { judgeYesNoPair, yesNoArgs } from './reading/yes-no.js'

/**
 * The share of "yes" among all answers: 0 to 1. It shows a leaning, and is best where it is that of the targets.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoRatio = defineMetric({
  id: 'yes_no_ratio',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_ratio',
  judge: judgeYesNoPair,
})
