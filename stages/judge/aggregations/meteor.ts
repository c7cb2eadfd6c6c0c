import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { meteorScore, statisticsLength } from '../metrics/meteor/meteor-score.js'

const value = z.object({ statistics: z.array(z.number()).length(statisticsLength) })

/**
 * METEOR of all docs as one corpus, in [0, 1], from the counts that the metric `meteor` gives.
 *
 * Source: METEOR 1.5, `EVAL`.
 */
export const meteor = defineAggregation({
  id: 'meteor',
  of: 'folded',
  args: z.object({}),
  start: () => {
    let total: readonly number[] = new Array<number>(statisticsLength).fill(0)
    return {
      add(given) {
        const { statistics } = value.parse(given)
        total = total.map((sum, i) => sum + (statistics[i] ?? 0))
      },
      finish: () => bare(meteorScore(total)),
    }
  },
})
