import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { summariseMean } from './mean.js'

const scoreOf = z.object({ group: z.string(), score: z.number() })

/**
 * The mean over all docs whose values are `{group, score}`, with its interval. With parity it is the mean of the groups' means, each group
 * with the same weight.
 *
 * Sources: Chen et al. 2024, MMStar (https://arxiv.org/abs/2403.20330); lmms-eval 0.7.2, `tasks/mmstar/utils.py`.
 */
export const groupedMean = defineAggregation({
  id: 'grouped_mean',
  of: 'values',
  summarise(values, parity) {
    const scores = values.map(value => scoreOf.parse(value))
    if (parity === undefined) return summariseMean(Float64Array.from(scores, ({ score }) => score))
    const groups = new Map<string, number[]>()
    for (const { group, score } of scores) groups.set(group, [...(groups.get(group) ?? []), score])
    return bare(meanOf(Array.from(groups.values(), meanOf)))
  },
})

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
