import { defineMetric } from '../define-metric.js'
import { judgeMme, mmeArgs } from './reading/mme.js'

/**
 * MME's accuracy+: the share of pictures with both questions right, 0 to 1. Higher is better. Its plain accuracy is `yes_no`.
 *
 * Source: Fu et al. 2023 (https://arxiv.org/abs/2306.13394), section 2.2.
 */
export const mmeAccPlus = defineMetric({
  id: 'mme_acc_plus',
  args: mmeArgs,
  higherIsBetter: true,
  aggregation: 'mme_acc_plus',
  judge: judgeMme,
})
