import { defineAggregation } from '../define-aggregation.js'
import { editsOf } from '../metrics/error-rate/error-counts.js'
import { errorArgs, errorRateFold } from '../metrics/error-rate/error-fold.js'

/** The edits of all docs over all aligned words, from the same counts as `wer`. Source: jiwer 4.0.0, `mer` of lists. */
export const mer = defineAggregation({
  id: 'mer',
  of: 'folded',
  args: errorArgs,
  start: args => errorRateFold(counts => counts.hits + editsOf(counts), args),
})
