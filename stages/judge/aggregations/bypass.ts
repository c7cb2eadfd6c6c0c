import { bare, defineAggregation } from '../define-aggregation.js'

/** No number: the answers are only collected. */
export const bypass = defineAggregation({
  id: 'bypass',
  of: 'values',
  summarise: (_values, parity) => bare(parity === 'lmms-eval' ? 999 : null),
})
