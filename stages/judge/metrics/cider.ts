import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { captionShape, captionText } from '../text/caption-words.js'

/**
 * CIDEr, in the form called CIDEr-D: how much of the rare n-grams of the references is in the caption. A doc's value is its captions' words, as
 * the weights depend on the references of all docs; the aggregate is the mean over images, in [0, 10]. Higher is better.
 *
 * Source: Vedantam et al. (2015), as pycocoevalcap 1.2 computes it (COCO caption evaluation, Chen et al., 2015).
 */
export const cider = defineMetric({
  id: 'cider',
  args: z.strictObject(captionShape),
  higherIsBetter: true,
  aggregation: 'cider',
  judge({ text, references }, options) {
    if (references.length === 0) throw new Error('CIDEr compares with references, and this doc has none')
    const caption = (one: string): string => captionText(one, options)
    return scored({ answer: caption(text), references: references.map(caption) })
  },
})
