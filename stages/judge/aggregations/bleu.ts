import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { bleuScore, bleuShape, bleuSignature, bleuStatistics, type BleuStatistics } from '../metrics/sacrebleu/bleu.js'
import { corpusFold, plusEach } from '../metrics/sacrebleu/corpus-fold.js'

const numbers = z.array(z.number())

/**
 * BLEU of all docs as one corpus, with sacrebleu's signature. Takes what the metric `bleu` gives, or `[reference(s), answer]`.
 *
 * Source: sacrebleu 2.6.0, `BLEU.corpus_score`.
 */
export const bleu = defineAggregation({
  id: 'bleu',
  of: 'folded',
  args: z.object(bleuShape),
  start: options =>
    corpusFold<BleuStatistics>({
      statistics: z.object({ counts: numbers, totals: numbers, sys_len: z.number(), ref_len: z.number() }),
      compare: (answer, references) => bleuStatistics(answer, references, options),
      plus: (a, b) => ({
        counts: plusEach(a.counts, b.counts),
        totals: plusEach(a.totals, b.totals),
        sys_len: a.sys_len + b.sys_len,
        ref_len: a.ref_len + b.ref_len,
      }),
      summarise: (total, references) => ({
        ...bare(bleuScore(total, options).score),
        note: `BLEU|${bleuSignature(references, options)}`,
      }),
    }),
})
