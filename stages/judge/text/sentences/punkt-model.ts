import { readData } from '../../data-file.js'

/** What Punkt knows of a language. Words are in small letters, numbers `##number##`. */
export interface PunktModel {
  /** Words that end in a full stop and not the sentence, without the stop. */
  readonly abbreviations: ReadonlySet<string>
  /** Pairs, with a space between, of which the first ends in a full stop and the sentence goes on. */
  readonly collocations: ReadonlySet<string>
  /** Words with which sentences often begin. */
  readonly starters: ReadonlySet<string>
  /** In which of these places a word was seen, added up. */
  readonly contexts: ReadonlyMap<string, number>
}

/** Places in a sentence, by the case of the word's first letter there. */
export const seen = {
  upper: 2 + 4 + 8,
  upperWithin: 4,
  lower: 16 + 32 + 64,
  lowerAtStart: 16,
}

interface Tables {
  readonly abbreviations: readonly string[]
  readonly collocations: readonly (readonly [string, string])[]
  readonly starters: readonly string[]
  readonly contexts: Readonly<Record<string, number>>
}

const file = {
  name: 'punkt-english',
  digest: '348f125de2e6c7ef2ed8658170abacf9725c48f89353ac797b0429f3de6cb391',
}

let known: PunktModel | undefined

/** NLTK's model of English, trained by Jan Strunk on newspaper text. Read once. */
export function englishPunkt(): PunktModel {
  known ??= arrange(readData(file) as Tables)
  return known
}

const arrange = ({ abbreviations, collocations, starters, contexts }: Tables): PunktModel => ({
  abbreviations: new Set(abbreviations),
  collocations: new Set(collocations.map(pair => pair.join(' '))),
  starters: new Set(starters),
  contexts: new Map(Object.entries(contexts)),
})
