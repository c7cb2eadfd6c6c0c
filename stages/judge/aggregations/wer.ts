import { defineAggregation } from '../define-aggregation.js'
import { referenceLength } from '../metrics/error-rate/error-counts.js'
import { errorArgs, errorRateFold } from '../metrics/error-rate/error-fold.js'

/**
 * The edits of all docs over the words (characters) of all references, from counts of `hits`, `substitutions`, `deletions` and
 * `insertions`. No value where all references are empty.
 *
 * Source: jiwer 4.0.0, `wer` and `cer` of lists.
 */
export const wer = defineAggregation({
  id: 'wer',
  of: 'folded',
  args: errorArgs,
  start: args => errorRateFold(referenceLength, args),
})
