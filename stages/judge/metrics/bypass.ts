import { z } from 'zod'
import { bare, defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored } from '../define/define-metric.js'

/** Judges nothing: for tasks whose answers are only collected. Its value is null, and so is its aggregate. */
export const bypass = defineMetric({
  id: 'bypass',
  args: z.strictObject({ note: z.string().optional() }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'bypass',
  judge: () => scored(null),
})

/** No number: the answers are only collected. A `note` says why, and stands below the table. */
export const bypassAggregation = defineAggregation({
  id: 'bypass',
  of: 'folded',
  args: z.object({ note: z.string().optional() }),
  start: ({ note }, parity) => ({
    add: () => undefined,
    finish: () => (note === undefined ? bare(parity === 'lmms-eval' ? 999 : null) : { ...bare(null), note }),
  }),
})
