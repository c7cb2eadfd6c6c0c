import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { porterStem } from '../../text/porter-stemmer.js'
import { sentences } from '../../text/sentences/sentences.js'
import { applyRules, contractions, compileRules } from '../../text/sentences/treebank-words.js'
import type { Tagger } from './perceptron-tagger.js'
import type { Part, WordNet } from './wordnet.js'

const wordnetParts: Readonly<Record<string, Part>> = { NN: 'n', JJ: 'a', VB: 'v', RB: 'r' }
const findPart = (tag = ''): Part | undefined => wordnetParts[tag.slice(0, 2)]

/**
 * The words of a text in lower case, each replaced by its shortest WordNet lemma. The lemma is that of the word's
 * part of speech in the sentence, else of its part of speech alone, else of a noun. A word without a lemma is
 * replaced by its stem if WordNet knows it, and is kept otherwise.
 *
 * Source: pywsd 1.2.5, `lemmatize_sentence`, with NLTK 3.9.1.
 */
export function lemmatizeText(
  text: string,
  resources: { readonly wordnet: WordNet; readonly tagger: Tagger },
): readonly string[] {
  const words = disambiguationWords(text)
  const tags = resources.tagger(words)
  return words.map((word, index) => lemma(word.toLowerCase(), findPart(tags[index]), resources))
}

function lemma(
  word: string,
  part: Part | undefined,
  { wordnet, tagger }: { readonly wordnet: WordNet; readonly tagger: Tagger },
): string {
  const lemmas = wordnet.lemmas(word, part ?? findPart(tagger([word])[0]) ?? 'n')
  const shortest = lemmas.reduce(
    (short, candidate) => (candidate.length < short.length ? candidate : short),
    lemmas[0] ?? word,
  )
  if (wordnet.knows(shortest)) return shortest
  const stem = porterStem(word)
  return wordnet.knows(stem) ? stem : word
}

/** Rules that separate opening quotes, punctuation, brackets and dashes, in this order. */
const apart = compileRules([
  ['([«“‘„]|`+)', ' $1 '],
  ['^"', '``'],
  ['(``)', ' $1 '],
  ['([ (\\[{<])("|\'{2})', '$1 `` '],
  ['([^.])(\\.)([\\])}>"\'»”’ ]*)\\s*$', '$1 $2 $3 '],
  ['([:,])([^\\d])', ' $1 $2'],
  ['([:,])$', ' $1 '],
  ['\\.\\.\\.', ' ... '],
  ['([;@#$%&])', ' $1 '],
  ['([^.])(\\.)([\\])}>"\']*)\\s*$', '$1 $2$3 '],
  ['([?!])', ' $1 '],
  ["([^'])' ", "$1 ' "],
  ['([\\]\\[(){}<>])', ' $1 '],
  ['--', ' -- '],
])

/** Rules that then separate closing quotes, endings with an apostrophe, and contractions. */
const apartWithin = compileRules([
  ['([»”’]+)', ' $1 '],
  ['"', " '' "],
  ["(\\S)('')", '$1 $2 '],
  ...contractions({ more: "(?i)\\b(mor)('n)\\b", wanna: '(?i)\\b(wan)(na)\\s' }),
])

/**
 * The words and marks of an English text as split by pywsd 1.2.5 (`pywsd.tokenize.word_tokenize`), which uses
 * NLTK's rules of 2018.
 */
const disambiguationWords = (text: string): readonly string[] =>
  sentences(text).flatMap(sentence => splitWhiteSpace(applyRules(` ${applyRules(sentence, apart)} `, apartWithin)))
