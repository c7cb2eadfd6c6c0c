import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { chrfScore, chrfShape, chrfSignature, chrfStatistics, type ChrfStatistics } from '../metrics/sacrebleu/chrf.js'
import { corpusFold, plusEach } from '../metrics/sacrebleu/corpus-fold.js'

const numbers = z.array(z.number())

/**
 * chrF of all docs as one corpus, with its name (β, and a plus for each order of words) and sacrebleu's signature. Takes what the
 * metric `chrf` gives, or `[reference(s), answer]`.
 *
 * Source: sacrebleu 2.6.0, `CHRF.corpus_score`.
 */
export const chrf = defineAggregation({
  id: 'chrf',
  of: 'folded',
  args: z.object(chrfShape),
  start: options =>
    corpusFold<ChrfStatistics>({
      statistics: z.object({ hyp: numbers, ref: numbers, match: numbers }),
      compare: (answer, references) => chrfStatistics(answer, references, options),
      plus: (a, b) => ({ hyp: plusEach(a.hyp, b.hyp), ref: plusEach(a.ref, b.ref), match: plusEach(a.match, b.match) }),
      summarise: (total, references) => ({
        ...bare(chrfScore(total, options)),
        note: `chrF${options.beta}${'+'.repeat(options.word_order)}|${chrfSignature(references, options)}`,
      }),
    }),
})
