import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'

/** Judges nothing: for tasks whose answers are only collected. Its value is null, and so is its aggregate. */
export const bypass = defineMetric({
  id: 'bypass',
  args: z.strictObject({ note: z.string().optional() }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'bypass',
  judge: () => scored(null),
})
