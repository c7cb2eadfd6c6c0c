import { defineMetric } from '../define-metric.js'
import { judgeMme, mmeArgs } from './reading/mme.js'

/**
 * MME's score: for each category accuracy + accuracy+ (both questions of a picture right) in per cent, summed: 0 to 200 for each
 * category. Higher is better. A picture with one question alone is an error: it has no accuracy+.
 *
 * Source: Fu et al. 2023 (https://arxiv.org/abs/2306.13394), section 2.2.
 */
export const mme = defineMetric({
  id: 'mme',
  args: mmeArgs,
  higherIsBetter: true,
  aggregation: 'mme',
  judge: judgeMme,
})
