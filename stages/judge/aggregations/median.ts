import { bare, defineAggregation } from '../define-aggregation.js'

/** The middle value, or the mean of the two middle ones. */
export const median = defineAggregation({
  id: 'median',
  of: 'numbers',
  summarise(values, parity) {
    // There the list is taken as it comes, and of two middle values the second.
    if (parity === 'lmms-eval') return bare(values[Math.floor(values.length / 2)] ?? 0)
    const sorted = values.toSorted()
    const half = sorted.length / 2
    const upper = sorted[Math.floor(half)] ?? 0
    return bare(Number.isInteger(half) ? ((sorted[half - 1] ?? 0) + upper) / 2 : upper)
  },
})
