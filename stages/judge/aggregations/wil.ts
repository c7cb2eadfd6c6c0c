import { defineAggregation } from '../define-aggregation.js'
import { errorArgs, errorMeasureFold } from '../metrics/error-rate/error-fold.js'
import { measures } from '../metrics/error-rate/measures.js'

/** Word information lost of all docs as one text, from the same counts as `wer`. Source: jiwer 4.0.0, `wil` of lists. */
export const wil = defineAggregation({
  id: 'wil',
  of: 'folded',
  args: errorArgs,
  start: args => errorMeasureFold(measures.wil, args),
})
