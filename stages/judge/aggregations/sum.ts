import { bare, defineAggregation } from '../define-aggregation.js'

/** The sum, for benchmarks that count points. */
export const sum = defineAggregation({
  id: 'sum',
  of: 'numbers',
  summarise: values => bare(values.reduce((total, value) => total + value, 0)),
  bounds(values, missing, [lowest, highest]) {
    const known = values.reduce((total, value) => total + value, 0)
    return [known + missing * lowest, known + missing * highest]
  },
})
