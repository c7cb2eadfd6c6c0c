import { defineAggregation } from '../define-aggregation.js'
import { summariseMean } from './mean.js'

/**
 * The mean of the last thirty values, in the order of the docs: one year of AIME, where the dataset has earlier ones before it.
 *
 * Source: the task files of s1 (Muennighoff et al. 2025, https://arxiv.org/abs/2501.19393), `aime24_figures`.
 */
export const meanLast30 = defineAggregation({
  id: 'mean_last30',
  of: 'numbers',
  summarise: values => summariseMean(values.slice(-30)),
})
