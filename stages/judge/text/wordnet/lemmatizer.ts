import { porterStem } from '../porter-stemmer.js'
import { disambiguationWords } from '../sentences/disambiguation-words.js'
import type { Tagger } from '../tagger/perceptron-tagger.js'
import type { WordNet } from './wordnet.js'
import type { Part } from './wordnet-files.js'

const wordnetParts: Readonly<Record<string, Part>> = { NN: 'n', JJ: 'a', VB: 'v', RB: 'r' }
const partOf = (tag = ''): Part | undefined => wordnetParts[tag.slice(0, 2)]

/**
 * The words of a text in small letters, each as its shortest lemma in WordNet for the part of speech that it has there (or by itself, where that
 * is none of WordNet's; else a noun), or where that is unknown its stem, or where that is unknown too the word.
 *
 * Source: pywsd 1.2.5, `lemmatize_sentence`, with NLTK 3.9.1.
 */
export function lemmatized(
  text: string,
  known: { readonly wordnet: WordNet; readonly tagger: Tagger },
): readonly string[] {
  const words = disambiguationWords(text)
  const tags = known.tagger(words)
  return words.map((word, index) => lemma(word.toLowerCase(), partOf(tags[index]), known))
}

function lemma(
  word: string,
  part: Part | undefined,
  { wordnet, tagger }: { readonly wordnet: WordNet; readonly tagger: Tagger },
): string {
  const lemmas = wordnet.lemmas(word, part ?? partOf(tagger([word])[0]) ?? 'n')
  const shortest = lemmas.reduce((short, one) => (one.length < short.length ? one : short), lemmas[0] ?? word)
  if (wordnet.knows(shortest)) return shortest
  const stem = porterStem(word)
  return wordnet.knows(stem) ? stem : word
}
