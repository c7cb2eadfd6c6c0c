import { z } from 'zod'
import { defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { bleuStatistics, bleuTerms, type BleuStatistics } from '../sacrebleu/bleu.js'
import { corpusFold } from '../sacrebleu/corpus-fold.js'
import { captionShape, captionText } from './caption-words.js'

/**
 * BLEU of captions: matching n-grams of 1 to `order` words. A doc's value is its sufficient statistics and its own
 * `score`; the aggregate is the corpus's BLEU. Both are in [0, 1]. Higher is better.
 *
 * It differs from the `bleu` of translation in tokens, smoothing and scale.
 *
 * Source: Papineni et al. (2002), as pycocoevalcap 1.2 computes it (COCO caption evaluation, Chen et al., 2015).
 */
export const cocoBleu = defineMetric({
  id: 'coco_bleu',
  args: z.strictObject({ ...captionShape, order: z.int().min(1).max(4).default(4) }),
  higherIsBetter: true,
  aggregation: 'coco_bleu',
  judge({ text, references }, options) {
    const caption = (sentence: string): string => captionText(sentence, options)
    const statistics = captionBleuStatistics(caption(text), references.map(caption))
    const score = captionBleu(statistics)[options.order - 1] ?? 0
    return scored({ score, ...statistics, nrefs: references.length })
  },
})

const numbers = z.array(z.number()).length(4)

/**
 * BLEU of all docs as one corpus, in [0, 1]. It takes values of the metric `coco_bleu`, or `[reference(s),
 * answer]`, which it tokenizes.
 *
 * Source: pycocoevalcap 1.2, `Bleu(4).compute_score`.
 */
export const cocoBleuAggregation = defineAggregation({
  id: 'coco_bleu',
  of: 'folded',
  args: z.object({ ...captionShape, order: z.int().min(1).max(4).default(4) }),
  start: options => {
    const text = (caption: string): string => captionText(caption, options)
    return corpusFold<BleuStatistics>({
      statistics: z.object({ counts: numbers, totals: numbers, sys_len: z.number(), ref_len: z.number() }),
      compare: (answer, references) => captionBleuStatistics(text(answer), references.map(text)),
      terms: bleuTerms,
      score: total => captionBleu(total)[options.order - 1] ?? Number.NaN,
    })
  },
})

/** Computes statistics of captions whose words are separated by white space. @throws Error if there is no reference. */
export const captionBleuStatistics = (answer: string, references: readonly string[]): BleuStatistics =>
  bleuStatistics(answer, references, plain)

const plain = {
  tokenize: 'none',
  lowercase: false,
  max_ngram_order: 4,
  smooth_method: 'none',
  smooth_value: null,
  effective_order: false,
} as const

/** Added to matches and n-grams to avoid a division by 0. A score is therefore never exactly 0. */
const [tiny, small] = [1e-15, 1e-9]

/**
 * BLEU-1 to BLEU-4, in [0, 1], of one caption's statistics or of their sums.
 *
 * Source: Papineni et al. (2002), as pycocoevalcap 1.2, `bleu/bleu_scorer.py`, with the length of the nearest reference.
 */
export function captionBleu({ counts, totals, sys_len, ref_len }: BleuStatistics): readonly number[] {
  const ratio = (sys_len + tiny) / (ref_len + small)
  const brevity = ratio < 1 ? Math.exp(1 - 1 / ratio) : 1
  let product = 1
  return counts.map((count, i) => {
    product *= (count + tiny) / ((totals[i] ?? 0) + small)
    return product ** (1 / (i + 1)) * brevity
  })
}
