import { wordErrorMetric } from './error-rate/error-metric.js'

/**
 * Word error rate: substituted, deleted and inserted words for each word of the reference, over all docs together. In [0, ∞),
 * lower is better. A doc's value is its counts and its own `rate`; of several references the closest counts.
 *
 * `normalizer` changes both sides first: one of the normalisers, or a list of them in their order. Without one, words are what spaces set
 * apart, capitals and punctuation included. `percent` gives the aggregate times 100.
 *
 * Source: jiwer 4.0.0, `process_words`.
 */
export const wer = wordErrorMetric({ id: 'wer', measure: 'wer', higherIsBetter: false })
