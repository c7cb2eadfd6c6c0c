import { treebankWords } from '../../text/sentences/treebank-words.js'
import { lemmatized } from '../../text/wordnet/lemmatizer.js'
import { wuPalmer } from '../../text/wordnet/wu-palmer.js'
import type { WordNet } from '../../text/wordnet/wordnet.js'
import type { LanguageData } from './language-data.js'
import { stopWords } from './stop-words.js'

/** What an answer says: its lemmas, without words of grammar. */
export const contentOf = (text: string, data: LanguageData): string =>
  lemmatized(text, data)
    .filter(word => !stopWords.has(word))
    .join(' ')

/** The lesser of how well each text's words are found in the other: 0 to 1. Both are as {@link contentOf} gives them. */
export function textSimilarity(
  answer: string,
  reference: string,
  options: { readonly wordnet: WordNet; readonly threshold: number },
): number {
  const [ours, theirs] = [treebankWords(answer), treebankWords(reference)]
  return Math.min(found(ours, theirs, options), found(theirs, ours, options))
}

/** The product of each word's nearness to the nearest of the others; words that are near none are left out. */
function found(
  words: readonly string[],
  others: readonly string[],
  options: { readonly wordnet: WordNet; readonly threshold: number },
): number {
  const near = words
    .map(word => Math.max(0, ...others.map(other => nearness(word, other, options))))
    .filter(value => value !== 0)
  return near.length === 0 ? 0 : near.reduce((product, value) => product * value, 1)
}

function nearness(
  word: string,
  other: string,
  { wordnet, threshold }: { readonly wordnet: WordNet; readonly threshold: number },
): number {
  if (word === other) return 1
  const [one, two] = [wordnet.firstSense(word), wordnet.firstSense(other)]
  if (one === undefined || two === undefined) return 0
  const value = wuPalmer(one, two) ?? 0
  return value < threshold ? 0.1 * value : value
}
