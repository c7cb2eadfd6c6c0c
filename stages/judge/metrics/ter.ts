import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { terScore, terShape, terStatistics } from './sacrebleu/ter.js'

/**
 * Translation edit rate: insertions, deletions, substitutions and shifts of phrases from the answer to the nearest reference, in per
 * cent of the reference's words. A doc's value is its sufficient statistics and its own `score`; the aggregate is the
 * corpus's, with the signature. In [0, ∞), lower is better.
 *
 * Source: Snover et al. (2006), as sacrebleu 2.6.0 computes it: the arguments are its.
 */
export const ter = defineMetric({
  id: 'ter',
  args: z.strictObject(terShape),
  higherIsBetter: false,
  aggregation: 'ter',
  judge({ text, references }, options) {
    const statistics = terStatistics(text, references, options)
    return scored({ score: terScore(statistics), ...statistics, nrefs: references.length })
  },
})
