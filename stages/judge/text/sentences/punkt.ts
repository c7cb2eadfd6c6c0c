import { isLower, isUpper } from '../../../../base/python/python-text.js'
import { pythonRegex } from '../../../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import { readData } from '../../data-file.js'

/** Punkt's model of a language. Words are in lower case, and numbers are `##number##`. */
interface PunktModel {
  /** Words whose full stop does not end a sentence, without the stop. */
  readonly abbreviations: ReadonlySet<string>
  /** Pairs of words separated by a space. The full stop of the first one does not end a sentence. */
  readonly collocations: ReadonlySet<string>
  /** Words that often start a sentence. */
  readonly starters: ReadonlySet<string>
  /** The positions in which each word was seen, as a sum of flags. */
  readonly contexts: ReadonlyMap<string, number>
}

/** Flags for a position in a sentence and the case of the word's first letter. */
const caseFlags = {
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

let englishModel: PunktModel | undefined

/** NLTK's model of English, which Jan Strunk trained on newspaper text. It is read once. */
export function englishPunkt(): PunktModel {
  englishModel ??= arrange(readData(file) as Tables)
  return englishModel
}

const arrange = ({ abbreviations, collocations, starters, contexts }: Tables): PunktModel => ({
  abbreviations: new Set(abbreviations),
  collocations: new Set(collocations.map(pair => pair.join(' '))),
  starters: new Set(starters),
  contexts: new Map(Object.entries(contexts)),
})

/** A word and what is known about its end. */
interface PunktToken {
  readonly text: string
  /** The word in lower case; numbers are `##number##`. */
  readonly type: string
  readonly endsInStop: boolean
  readonly isEllipsis: boolean
  isAbbreviation: boolean
  endsSentence: boolean
}

const nonWord = `[)";}\\]*:@'({\\[?!]`
const several = '(?:-{2,}|\\.{2,}|(?:\\.\\s){2,}\\.)'
const wordStart = '[^("`{\\[:;&#*@)}\\]\\-,]'
const wordEnd = `(?:\\s|$|${nonWord}|${several}|,(?=$|\\s|${nonWord}|${several}))`

/** Matches words with the full stops at their ends, and other punctuation separately. */
const token = pythonRegex(`(?:${several}|(?=${wordStart})\\S+?(?=${wordEnd})|\\S)`, 'g')

/** Matches a mark that may end a sentence, and what follows it: other punctuation, or white space and the next word. */
export const possibleEnd = pythonRegex(`[.?!](?=(?P<after>${nonWord}|\\s+(?P<next>\\S+)))`, 'g')

const number = pythonRegex('^-?[.,]?\\d[\\d,.-]*\\.?$')

/** The words of a text, classified by themselves. */
function punktTokens(text: string, model: PunktModel): readonly PunktToken[] {
  const words = text.split('\n').flatMap(line => (stripWhiteSpace(line) === '' ? [] : (line.match(token) ?? [])))
  return words.map(word => describe(word, model))
}

function describe(text: string, { abbreviations }: PunktModel): PunktToken {
  const lower = text.toLowerCase()
  const endsInStop = text.endsWith('.')
  const isMark = ['.', '?', '!'].includes(text)
  const isEllipsis = !isMark && /^\.\.+$/.test(text)
  const stem = lower.slice(0, -1)
  const isWord = !isMark && !isEllipsis && endsInStop && !text.endsWith('..')
  const isAbbreviation = isWord && (abbreviations.has(stem) || abbreviations.has(stem.split('-').at(-1) ?? ''))
  return {
    text,
    type: lower.replace(number, '##number##'),
    endsInStop,
    isEllipsis,
    isAbbreviation,
    endsSentence: isMark || (isWord && !isAbbreviation),
  }
}

/** The type without its final full stop; a single stop is kept. */
const typeWithoutStop = ({ type }: PunktToken): string =>
  type.length > 1 && type.endsWith('.') ? type.slice(0, -1) : type

/** The type without a full stop that ends a sentence. */
const typeOfWord = (word: PunktToken): string => (word.endsSentence ? typeWithoutStop(word) : word.type)

const isInitial = ({ text }: PunktToken): boolean => /^[\p{L}\p{Nl}\p{No}_]\.$/u.test(text)

const takeFirstCharacter = ({ text }: PunktToken): string => String.fromCodePoint(text.codePointAt(0) ?? 0)
const startsUpper = (word: PunktToken): boolean => isUpper(takeFirstCharacter(word))
const startsLower = (word: PunktToken): boolean => isLower(takeFirstCharacter(word))

/** Returns whether a sentence ends before the last word of a text. */
export function hasSentenceEnd(text: string, model: PunktModel): boolean {
  const words = punktTokens(text, model)
  for (const [index, word] of words.entries()) {
    const next = words[index + 1]
    if (next === undefined) return false
    decide(word, { next, model })
    if (word.endsSentence) return true
  }
  return false
}

/**
 * Revises the classification of a word with a full stop by the word after it.
 * Source: Kiss and Strunk, sections 4.1 to 4.3.
 */
function decide(word: PunktToken, { next, model }: { readonly next: PunktToken; readonly model: PunktModel }): void {
  if (!word.endsInStop) return
  const [type, nextType] = [typeWithoutStop(word), typeOfWord(next)]
  const goesOn = (): void => {
    word.endsSentence = false
    word.isAbbreviation = true
  }
  if (model.collocations.has(`${type} ${nextType}`)) return goesOn()
  const begins = beginsSentence(next, model)
  const isOneLetter = isInitial(word)
  if ((word.isAbbreviation || word.isEllipsis) && !isOneLetter) {
    if (begins === 'yes' || (startsUpper(next) && model.starters.has(nextType))) {
      word.endsSentence = true
      return
    }
  }
  if (!isOneLetter && type !== '##number##') return
  const isName = isOneLetter && startsUpper(next) && !wasSeen(nextType, caseFlags.lower, model)
  if (begins === 'no' || (begins === 'unknown' && isName)) goesOn()
}

/** Returns whether a word starts a sentence, judged by the case of its first letter and the positions in which it was seen. */
function beginsSentence(word: PunktToken, model: PunktModel): 'yes' | 'no' | 'unknown' {
  if ([';', ':', ',', '.', '!', '?'].includes(word.text)) return 'no'
  const was = (positionMask: number): boolean => wasSeen(typeOfWord(word), positionMask, model)
  if (startsUpper(word) && was(caseFlags.lower) && !was(caseFlags.upperWithin)) return 'yes'
  return startsLower(word) && (was(caseFlags.upper) || !was(caseFlags.lowerAtStart)) ? 'no' : 'unknown'
}

const wasSeen = (type: string, positionMask: number, { contexts }: PunktModel): boolean =>
  ((contexts.get(type) ?? 0) & positionMask) !== 0
