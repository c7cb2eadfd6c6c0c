import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { captionShape, captionText } from '../text/caption-words.js'
import { cocoRougeL as rougeL } from './rouge/coco-rouge.js'

/**
 * ROUGE-L of captions, in [0, 1]: the longest common subsequence of words, best precision and best recall over the references, recall
 * 1.2 times as important. The aggregate is the mean. Higher is better.
 *
 * Source: Lin (2004), as pycocoevalcap 1.2 computes it (COCO caption evaluation, Chen et al., 2015).
 */
export const cocoRougeL = defineMetric({
  id: 'coco_rouge_l',
  args: z.strictObject(captionShape),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, options) {
    const caption = (one: string): string => captionText(one, options)
    return scored(rougeL(caption(text), references.map(caption)))
  },
})
