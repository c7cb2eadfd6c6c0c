import { z } from 'zod'
import { defineMetric, scored } from '../../define/define-metric.js'
import { subsequenceLength } from '../../text/common-subsequence.js'
import { captionShape, captionText } from './caption-words.js'

/**
 * ROUGE-L of captions, in [0, 1]: the longest common subsequence of words. It combines the best precision and the
 * best recall over the references, with recall weighted 1.2 times. The aggregate is the mean. Higher is better.
 *
 * Source: Lin (2004), as pycocoevalcap 1.2 computes it (COCO caption evaluation, Chen et al., 2015).
 */
export const cocoRougeL = defineMetric({
  id: 'coco_rouge_l',
  args: z.strictObject(captionShape),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, options) {
    const caption = (sentence: string): string => captionText(sentence, options)
    return scored(bestCocoRougeL(caption(text), references.map(caption)))
  },
})

/** Recall counts this many times more than precision. */
const beta = 1.2

/**
 * ROUGE-L of captions, in [0, 1], from the best precision and the best recall, which can come from different
 * references. Captions are split at single spaces, so an empty caption is one empty word. Punctuation must be
 * removed before.
 *
 * Source: pycocoevalcap 1.2, `rouge/rouge.py`.
 *
 * @throws Error if there is no reference.
 */
export function bestCocoRougeL(answer: string, references: readonly string[]): number {
  if (references.length === 0) throw new Error('ROUGE-L compares with references, and this doc has none')
  const own = answer.split(' ')
  let [precision, recall] = [0, 0]
  for (const reference of references) {
    const other = reference.split(' ')
    const common = subsequenceLength(other, own)
    precision = Math.max(precision, common / own.length)
    recall = Math.max(recall, common / other.length)
  }
  if (precision === 0 || recall === 0) return 0
  return ((1 + beta ** 2) * precision * recall) / (recall + beta ** 2 * precision)
}
