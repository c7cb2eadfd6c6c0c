import { wordErrorMetric } from './error-rate/error-metric.js'

/**
 * Word information lost: 1 − `wip`, over all docs together. In [0, 1], lower is better. Arguments and docs' values as of `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0, `process_words`.
 */
export const wil = wordErrorMetric({ id: 'wil', measure: 'wil', higherIsBetter: false })
