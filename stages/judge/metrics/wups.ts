import { ownValue } from '../../../base/named-values.js'
import { z } from 'zod'
import { defineMetric, scored } from '../define-metric.js'
import { languageData, languageDataArgs } from './wups/language-data.js'
import { contentOf, textSimilarity } from './wups/similarity.js'

/**
 * Wu-Palmer similarity of sets of words: how near the answer's words are to the target's in WordNet, and the target's to the answer's, whichever
 * is less; of several targets the nearest; 0 to 1. Higher is better. Below `threshold` a pair of words counts a tenth. Where a doc's field has one
 * of the values of `exact_where`, the answer has to say the same words.
 *
 * It takes WordNet 3.0 and the weights of NLTK's tagger, which are not part of this program: `nltk_data` says where.
 *
 * Source: Malinowski and Fritz 2014 (https://arxiv.org/abs/1410.0210), as Xiao et al. 2021 have it for NExT-QA (https://arxiv.org/abs/2105.08276).
 */
export const wups = defineMetric({
  id: 'wups',
  args: z.strictObject({
    ...languageDataArgs,
    threshold: z.number().min(0).max(1).default(0),
    exact_where: z.record(z.string(), z.array(z.string())).default({}),
  }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references, record: { doc } }, { nltk_data: folder, threshold, exact_where: exactly }) {
    const data = languageData(folder)
    const answer = contentOf(text, data)
    const contents = references.map(reference => contentOf(reference, data))
    const isExact = Object.entries(exactly).some(([field, values]) =>
      values.some(value => ownValue(doc, field) === value),
    )
    if (isExact) return scored(contents.includes(answer) ? 1 : 0)
    return scored(
      Math.max(0, ...contents.map(content => textSimilarity(answer, content, { wordnet: data.wordnet, threshold }))),
    )
  },
})
