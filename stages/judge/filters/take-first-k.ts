import { z } from 'zod'
import { defineFilter } from '../define-filter.js'

/**
 * Keeps the first `k` of a doc's samples. A doc that has fewer is an error: `repeats` must be at least `k`.
 *
 * Source: lm-evaluation-harness, `filters/selection.py`, TakeKFilter.
 */
export const takeFirstK = defineFilter({
  id: 'take_first_k',
  args: z.strictObject({ k: z.int().min(1) }),
  apply(readings, { k }) {
    if (readings.length >= k) return readings.slice(0, k)
    throw new Error(`take_first_k: the doc has ${readings.length} of the ${k} samples asked for. Set \`repeats: ${k}\``)
  },
})
