import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { captionBleu, captionBleuStatistics } from '../metrics/captions/caption-bleu.js'
import { corpusFold, plusEach } from '../metrics/sacrebleu/corpus-fold.js'
import type { BleuStatistics } from '../metrics/sacrebleu/bleu.js'
import { captionShape, captionText } from '../text/caption-words.js'

const numbers = z.array(z.number()).length(4)

/**
 * BLEU of all docs as one corpus, in [0, 1]. Takes what the metric `coco_bleu` gives, or `[reference(s), answer]`, which it tokenizes.
 *
 * Source: pycocoevalcap 1.2, `Bleu(4).compute_score`.
 */
export const cocoBleu = defineAggregation({
  id: 'coco_bleu',
  of: 'folded',
  args: z.object({ ...captionShape, order: z.int().min(1).max(4).default(4) }),
  start: options => {
    const text = (caption: string): string => captionText(caption, options)
    return corpusFold<BleuStatistics>({
      statistics: z.object({ counts: numbers, totals: numbers, sys_len: z.number(), ref_len: z.number() }),
      compare: (answer, references) => captionBleuStatistics(text(answer), references.map(text)),
      plus: (a, b) => ({
        counts: plusEach(a.counts, b.counts),
        totals: plusEach(a.totals, b.totals),
        sys_len: a.sys_len + b.sys_len,
        ref_len: a.ref_len + b.ref_len,
      }),
      summarise: total => bare(captionBleu(total)[options.order - 1] ?? null),
    })
  },
})
