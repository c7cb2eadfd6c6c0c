import { defineMetric } from '../define-metric.js'
import { judgeYesNoPair, yesNoArgs } from './reading/yes-no.js'

/**
 * The share of docs with the target yes that are answered "yes": 0 to 1. Higher is better. An answer that says neither is a miss.
 *
 * Source: Li et al. 2023, POPE (https://arxiv.org/abs/2305.10355).
 */
export const yesNoRecall = defineMetric({
  id: 'yes_no_recall',
  args: yesNoArgs,
  higherIsBetter: true,
  aggregation: 'yes_no_recall',
  judge: judgeYesNoPair,
})
