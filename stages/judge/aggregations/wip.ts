import { defineAggregation } from '../define-aggregation.js'
import { errorArgs, errorMeasureFold } from '../metrics/error-rate/error-fold.js'
import { measures } from '../metrics/error-rate/measures.js'

/** Word information preserved of all docs as one text, from the same counts as `wer`. Source: jiwer 4.0.0, `wip` of lists. */
export const wip = defineAggregation({
  id: 'wip',
  of: 'folded',
  args: errorArgs,
  start: args => errorMeasureFold(measures.wip, args),
})
