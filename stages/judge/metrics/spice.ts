import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { captionShape, captionText } from '../text/caption-words.js'
import { SpiceProgram } from './spice/spice-program.js'

/**
 * SPICE of captions: F of the objects, attributes and relations that a caption and its references speak of, in [0, 1]. The
 * aggregate is the mean, as the reference's is. Higher is better.
 *
 * It takes Java and the reference's `spice-1.0.jar` with its `lib` folder and the Stanford CoreNLP 3.6.0 models in it, which are
 * not part of this program: `jar` says where (it comes with the Python package pycocoevalcap, which fetches the models when
 * SPICE is first used there). One Java process with up to 8 GB for a thousand docs.
 *
 * Source: Anderson et al. (2016), SPICE 1.0, as pycocoevalcap 1.2 calls it.
 */
export const spice = defineMetric({
  id: 'spice',
  args: z.strictObject({
    ...captionShape,
    jar: z.string({
      error: 'SPICE runs in Java: give the path of spice-1.0.jar (of the Python package pycocoevalcap)',
    }),
    java: z.string().default('java'),
  }),
  higherIsBetter: true,
  range: [0, 1],
  aggregation: 'mean',
  async judge({ text, references }, { jar, java, ...options }) {
    if (references.length === 0) throw new Error('SPICE compares with references, and this doc has none')
    const caption = (one: string): string => captionText(one, options)
    const program = programFor(java, jar)
    return scored(await program.score({ caption: caption(text), references: references.map(caption) }))
  },
})

const programs = new Map<string, SpiceProgram>()

function programFor(java: string, jar: string): SpiceProgram {
  const key = JSON.stringify([java, jar])
  const known = programs.get(key) ?? new SpiceProgram({ java, jar })
  programs.set(key, known)
  return known
}
