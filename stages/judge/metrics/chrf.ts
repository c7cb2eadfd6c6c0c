import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { chrfScore, chrfShape, chrfStatistics } from './sacrebleu/chrf.js'

/**
 * F-score of the character n-grams, 1 to 6 long, of answer and best reference; with `word_order: 2` chrF++. A doc's value is its
 * sufficient statistics and its own `score`; the aggregate is the corpus's, with the signature. In [0, 100], higher is better.
 *
 * Source: Popović (2015), (2017), as sacrebleu 2.6.0 computes it: the arguments are its.
 */
export const chrf = defineMetric({
  id: 'chrf',
  args: z.strictObject(chrfShape),
  higherIsBetter: true,
  aggregation: 'chrf',
  judge({ text, references }, options) {
    const statistics = chrfStatistics(text, references, options)
    return scored({ score: chrfScore(statistics, options), ...statistics, nrefs: references.length })
  },
})
