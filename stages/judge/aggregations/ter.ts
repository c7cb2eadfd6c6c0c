import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { corpusFold } from '../metrics/sacrebleu/corpus-fold.js'
import { terScore, terShape, terSignature, terStatistics, type TerStatistics } from '../metrics/sacrebleu/ter.js'

/**
 * TER of all docs as one corpus, with sacrebleu's signature. Takes what the metric `ter` gives, or `[reference(s), answer]`.
 *
 * Source: sacrebleu 2.6.0, `TER.corpus_score`.
 */
export const ter = defineAggregation({
  id: 'ter',
  of: 'folded',
  args: z.object(terShape),
  start: options =>
    corpusFold<TerStatistics>({
      statistics: z.object({ num_edits: z.number(), ref_length: z.number() }),
      compare: (answer, references) => terStatistics(answer, references, options),
      plus: (a, b) => ({ num_edits: a.num_edits + b.num_edits, ref_length: a.ref_length + b.ref_length }),
      summarise: (total, references) => ({
        ...bare(terScore(total)),
        note: `TER|${terSignature(references, options)}`,
      }),
    }),
})
