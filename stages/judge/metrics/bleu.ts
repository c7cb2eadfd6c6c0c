import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { bleuScore, bleuShape, bleuStatistics } from './sacrebleu/bleu.js'

/**
 * Matching n-grams of answer and references, 1 to 4 words long. A doc's value is its sufficient statistics and its own `score`, in
 * [0, 100], in which orders count that the answer is long enough for; the aggregate is the corpus's BLEU, in [0, 100], with the
 * signature. Higher is better.
 *
 * Source: Papineni et al. (2002), as sacrebleu 2.6.0 computes it: the arguments are its, the default `13a` and `exp`.
 */
export const bleu = defineMetric({
  id: 'bleu',
  args: z.strictObject(bleuShape),
  higherIsBetter: true,
  aggregation: 'bleu',
  judge({ text, references }, options) {
    const statistics = bleuStatistics(text, references, options)
    const { score } = bleuScore(statistics, { ...options, effective_order: true })
    return scored({ score, ...statistics, nrefs: references.length })
  },
})
