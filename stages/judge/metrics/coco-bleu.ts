import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { captionShape, captionText } from '../text/caption-words.js'
import { captionBleu, captionBleuStatistics } from './captions/caption-bleu.js'

/**
 * BLEU of captions: matching n-grams of 1 to `order` words. A doc's value is its sufficient statistics and its own `score`; the aggregate is
 * the corpus's BLEU. Both are in [0, 1]. Higher is better.
 *
 * Not the `bleu` of translation: tokens, smoothing and scale differ.
 *
 * Source: Papineni et al. (2002), as pycocoevalcap 1.2 computes it (COCO caption evaluation, Chen et al., 2015).
 */
export const cocoBleu = defineMetric({
  id: 'coco_bleu',
  args: z.strictObject({ ...captionShape, order: z.int().min(1).max(4).default(4) }),
  higherIsBetter: true,
  aggregation: 'coco_bleu',
  judge({ text, references }, options) {
    const caption = (one: string): string => captionText(one, options)
    const statistics = captionBleuStatistics(caption(text), references.map(caption))
    const score = captionBleu(statistics)[options.order - 1] ?? 0
    return scored({ score, ...statistics, nrefs: references.length })
  },
})
