import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { editsOf } from '../metrics/error-rate/error-counts.js'
import { errorRateFold } from '../metrics/error-rate/error-fold.js'

/** The edits of all docs over all aligned words, from the same counts as `wer`. Source: jiwer 4.0.0, `mer` of lists. */
export const mer = defineAggregation({
  id: 'mer',
  of: 'folded',
  args: z.object({}),
  start: () => errorRateFold(counts => counts.hits + editsOf(counts)),
})
