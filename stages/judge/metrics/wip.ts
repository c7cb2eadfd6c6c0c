import { wordErrorMetric } from './error-rate/error-metric.js'

/**
 * Word information preserved: the share of words that were heard right among those of the reference times the share among those of the
 * answer, over all docs together. In [0, 1], higher is better. Arguments and docs' values as of `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0, `process_words`.
 */
export const wip = wordErrorMetric({ id: 'wip', measure: 'wip', higherIsBetter: true })
