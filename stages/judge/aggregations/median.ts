import { bare, defineAggregation } from '../define-aggregation.js'

/** The middle value, or the mean of the two middle ones. */
export const median = defineAggregation({
  id: 'median',
  of: 'numbers',
  summarise(values) {
    const sorted = values.toSorted()
    const half = sorted.length / 2
    const upper = sorted[Math.floor(half)] ?? 0
    return bare(Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper)
  },
})
