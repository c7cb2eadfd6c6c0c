import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { captionShape, captionText } from '../text/caption-words.js'
import { MeteorProcess } from './meteor/meteor-process.js'
import { meteorScore } from './meteor/meteor-score.js'

/**
 * METEOR of captions: words matched by form, stem, synonym or paraphrase, and how far they are in order. A doc's value is what METEOR counted
 * and its own `score`; the aggregate is the corpus's. Both are in [0, 1]. Higher is better.
 *
 * It takes Java and the reference's `meteor-1.5.jar` with its `data` folder beside it, which are not part of this program: `jar` says where
 * (they come with the Python package pycocoevalcap). One Java process with up to 2 GB serves all docs.
 *
 * Source: Denkowski and Lavie (2014), METEOR 1.5, as pycocoevalcap 1.2 calls it.
 */
export const meteor = defineMetric({
  id: 'meteor',
  args: z.strictObject({
    ...captionShape,
    jar: z.string({
      error: 'METEOR runs in Java: give the path of meteor-1.5.jar (of the Python package pycocoevalcap)',
    }),
    java: z.string().default('java'),
  }),
  higherIsBetter: true,
  aggregation: 'meteor',
  async judge({ text, references }, { jar, java, ...options }) {
    if (references.length === 0) throw new Error('METEOR compares with references, and this doc has none')
    const caption = (one: string): string => captionText(one, options)
    const statistics = await processFor(java, jar).statistics(caption(text), references.map(caption))
    return scored({ score: meteorScore(statistics), statistics })
  },
})

const processes = new Map<string, MeteorProcess>()

function processFor(java: string, jar: string): MeteorProcess {
  const key = JSON.stringify([java, jar])
  const known = processes.get(key) ?? new MeteorProcess({ java, jar })
  processes.set(key, known)
  return known
}
