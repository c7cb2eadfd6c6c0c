import { wordErrorMetric } from './error-rate/error-metric.js'

/**
 * Match error rate: the share of substituted, deleted and inserted words among all aligned ones, over all docs together. In
 * [0, 1], lower is better. Arguments and docs' values as of `wer`.
 *
 * Source: Morris, Maier and Green, "From WER and RIL to MER and WIL", Interspeech 2004; jiwer 4.0.0, `process_words`.
 */
export const mer = wordErrorMetric({ id: 'mer', measure: 'mer', higherIsBetter: false })
