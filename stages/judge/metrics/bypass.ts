import { z } from 'zod'
import { bare, defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored } from '../define/define-metric.js'

/** Computes nothing, for tasks whose answers are only collected. Values and aggregate are null. */
export const bypass = defineMetric({
  id: 'bypass',
  args: z.strictObject({ note: z.string().optional() }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'bypass',
  judge: () => scored(null),
})

/**
 * An aggregate without a number, since the answers are only collected. Its `note` gives the reason and is printed
 * below the table.
 */
export const bypassAggregation = defineAggregation({
  id: 'bypass',
  of: 'folded',
  args: z.object({ note: z.string().optional() }),
  start: ({ note }, parity) => ({
    add: () => undefined,
    finish: () => (note === undefined ? bare(parity === 'lmms-eval' ? 999 : null) : { ...bare(null), note }),
  }),
})
