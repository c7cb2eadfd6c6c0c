import { pythonRegex } from '../../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../../base/white-space.js'
import { isLower, isUpper } from '../letter-case.js'
import type { PunktModel } from './punkt-model.js'

/** A word with what was found out about its end. */
export interface PunktToken {
  readonly text: string
  /** In small letters, numbers as `##number##`. */
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

/** Words with the full stops at their ends, and other punctuation by itself. */
const token = pythonRegex(`(?:${several}|(?=${wordStart})\\S+?(?=${wordEnd})|\\S)`, 'g')

/** What may end a sentence, with what comes behind it: other punctuation, or white space and the next word. */
export const possibleEnd = pythonRegex(`[.?!](?=(?P<after>${nonWord}|\\s+(?P<next>\\S+)))`, 'g')

const number = pythonRegex('^-?[.,]?\\d[\\d,.-]*\\.?$')

/** The words of a text, line by line, with what each says of itself. */
export function punktTokens(text: string, model: PunktModel): readonly PunktToken[] {
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

/** Without the full stop at its end; a stop by itself stays. */
export const typeWithoutStop = ({ type }: PunktToken): string =>
  type.length > 1 && type.endsWith('.') ? type.slice(0, -1) : type

/** Without the full stop that ends a sentence. */
export const typeOfWord = (word: PunktToken): string => (word.endsSentence ? typeWithoutStop(word) : word.type)

export const isInitial = ({ text }: PunktToken): boolean => /^[\p{L}\p{Nl}\p{No}_]\.$/u.test(text)

const firstOf = ({ text }: PunktToken): string => String.fromCodePoint(text.codePointAt(0) ?? 0)
export const startsUpper = (word: PunktToken): boolean => isUpper(firstOf(word))
export const startsLower = (word: PunktToken): boolean => isLower(firstOf(word))
