import { z } from 'zod'
import { ownValue } from '../../../../base/values/named-values.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { treebankWords } from '../../text/sentences/treebank-words.js'
import { languageData, languageDataArgs, nltkData, type LanguageData } from './language-data.js'
import { lemmatizeText } from './lemmatizer.js'
import type { WordNet } from './wordnet.js'
import { wuPalmer } from './wu-palmer.js'

/**
 * Wu-Palmer similarity of word sets, 0 to 1: how close the answer's words are to the target's in WordNet, and the
 * reverse. The smaller of both counts, and the closest of several targets. A pair of words below `threshold` counts
 * a tenth. If a doc field has one of the values of `exact_where`, the words must be equal. Higher is better.
 *
 * It needs WordNet 3.0 and the weights of NLTK's tagger, which are not part of this program. `nltk_data` is their
 * folder.
 *
 * Source: Malinowski and Fritz 2014 (https://arxiv.org/abs/1410.0210), as Xiao et al. 2021 have it for NExT-QA
 * (https://arxiv.org/abs/2105.08276).
 */
export const wups = defineMetric({
  id: 'wups',
  args: z.strictObject({
    ...languageDataArgs,
    threshold: z.number().min(0).max(1).default(0),
    exact_where: z.record(z.string(), z.array(z.string())).default({}),
  }),
  resources: [nltkData],
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references, record: { doc } }, { nltk_data: folder, threshold, exact_where: exactly }) {
    const data = languageData(folder)
    const answer = extractContent(text, data)
    const contents = references.map(reference => extractContent(reference, data))
    const isExact = Object.entries(exactly).some(([field, values]) =>
      values.some(value => ownValue(doc, field) === value),
    )
    if (isExact) return scored(contents.includes(answer) ? 1 : 0)
    return scored(
      Math.max(0, ...contents.map(content => textSimilarity(answer, content, { wordnet: data.wordnet, threshold }))),
    )
  },
})

/** The content of an answer: its lemmas without function words. */
export const extractContent = (text: string, data: LanguageData): string =>
  lemmatizeText(text, data)
    .filter(word => !stopWords.has(word))
    .join(' ')

/** The smaller of both directions of {@link countKeyword}, 0 to 1. Both texts are results of {@link extractContent}. */
function textSimilarity(
  answer: string,
  reference: string,
  options: { readonly wordnet: WordNet; readonly threshold: number },
): number {
  const [ours, theirs] = [treebankWords(answer), treebankWords(reference)]
  return Math.min(multiplySimilarities(ours, theirs, options), multiplySimilarities(theirs, ours, options))
}

/**
 * The product, over the words, of the similarity to the closest of the other words. Words without any similar word
 * are left out.
 */
function multiplySimilarities(
  words: readonly string[],
  otherWords: readonly string[],
  options: { readonly wordnet: WordNet; readonly threshold: number },
): number {
  const near = words
    .map(word => Math.max(0, ...otherWords.map(other => nearness(word, other, options))))
    .filter(value => value !== 0)
  return near.length === 0 ? 0 : near.reduce((product, value) => product * value, 1)
}

function nearness(
  word: string,
  other: string,
  { wordnet, threshold }: { readonly wordnet: WordNet; readonly threshold: number },
): number {
  if (word === other) return 1
  const [sense, otherSense] = [wordnet.firstSense(word), wordnet.firstSense(other)]
  if (sense === undefined || otherSense === undefined) return 0
  const value = wuPalmer(sense, otherSense) ?? 0
  return value < threshold ? 0.1 * value : value
}

/** Function words: NLTK's English stop words of 2018. */
const stopWords: ReadonlySet<string> = new Set(
  [
    "i me my myself we our ours ourselves you you're you've you'll you'd your yours yourself yourselves he him his himself she she's",
    "her hers herself it it's its itself they them their theirs themselves what which who whom this that that'll these those am is",
    'are was were be been being have has had having do does did doing a an the and but if or because as until while to from of at for',
    'with about into through during again further then here there when where why how all any each most other some such only own so',
    "than too very s t can will just don don't should should've now d ll m o re ve y ain aren aren't couldn couldn't didn didn't",
    "doesn doesn't hadn hadn't hasn hasn't haven haven't isn isn't ma mightn mightn't mustn mustn't needn needn't shan shan't shouldn",
    "shouldn't wasn wasn't weren weren't won won't wouldn wouldn't",
  ]
    .join(' ')
    .split(' '),
)
