import { characterErrorMetric } from './error-rate/error-metric.js'

/**
 * Character error rate: substituted, deleted and inserted characters (code points) for each one of the reference, over all docs
 * together; spaces within are characters unless `ignore_spaces` is on. In [0, ∞), lower is better. `normalizer` and docs' values as of
 * `wer`.
 *
 * Source: jiwer 4.0.0, `process_characters`.
 */
export const cer = characterErrorMetric({ id: 'cer', measure: 'wer', higherIsBetter: false })
