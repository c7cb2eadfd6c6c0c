import { z } from 'zod'
import { defineFilter } from '../define-filter.js'

/** Keeps the first of a doc's samples. */
export const takeFirst = defineFilter({
  id: 'take_first',
  args: z.strictObject({}),
  needsTimeLimit: false,
  apply: readings => readings.slice(0, 1),
})
