import { z } from 'zod'
import { bare, defineAggregation } from '../define-aggregation.js'
import { ciderScores, type CaptionSegment } from '../metrics/captions/cider.js'
import { captionShape, captionText } from '../text/caption-words.js'

const segment = z.object({ answer: z.string(), references: z.array(z.string()).min(1) })

/** A list of references, or one, and the answer, as texts. */
const texts = z.tuple([z.union([z.string().transform(one => [one]), z.array(z.string()).min(1)]), z.string()])

/**
 * CIDEr of all docs as one corpus: the mean of the images' scores, in [0, 10]. Takes what the metric `cider` gives, or
 * `[reference(s), answer]`, which it tokenizes.
 *
 * What an n-gram weighs depends on the references of every doc: until the end the words of all captions are held in memory (about the
 * size of their text), and while the scores are computed eight bytes more for each n-gram of each caption, and some fifty for each
 * different n-gram.
 *
 * Source: pycocoevalcap 1.2, `Cider().compute_score`.
 */
export const cider = defineAggregation({
  id: 'cider',
  of: 'folded',
  args: z.object(captionShape),
  start: options => {
    const segments: CaptionSegment[] = []
    return {
      add(value) {
        const pair = texts.safeParse(value)
        if (pair.success) {
          const [references, answer] = pair.data
          segments.push({
            answer: captionText(answer, options),
            references: references.map(reference => captionText(reference, options)),
          })
          return
        }
        const given = segment.safeParse(value)
        if (!given.success) {
          const shown = JSON.stringify(value).slice(0, 200)
          throw new Error(`it takes the metric's captions or [reference(s), answer], not ${shown}`)
        }
        segments.push(given.data)
      },
      finish() {
        const scores = ciderScores(segments)
        return bare(scores.reduce((sum, score) => sum + score, 0) / scores.length)
      },
    }
  },
})
