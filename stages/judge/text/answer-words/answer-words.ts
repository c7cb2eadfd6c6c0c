/** The words of all languages in which answers are read. {@link AnswerWords} says what each entry holds. */
import { easternWords } from './eastern.js'
import { furtherWords } from './further.js'
import type { AnswerWords } from './language-words.js'
import { unspacedWords, type UnspacedAnswerWords } from './unspaced.js'
import { westernWords } from './western.js'

/** Languages that write spaces between words. */
export const spacedLanguages = { ...westernWords, ...easternWords, ...furtherWords } as const

/** Languages that write none, or attach particles. */
export const unspacedLanguages = unspacedWords

const spaced: readonly AnswerWords[] = Object.values(spacedLanguages)
const unspaced: readonly UnspacedAnswerWords[] = Object.values(unspacedLanguages)

/** Joins what `read` takes of each language that writes spaces to alternatives; languages without it are left out. */
export const joinSpaced = (read: (words: AnswerWords) => string | undefined): string =>
  joinDistinct(spaced.map(read)).replaceAll(' ', '\\s+')

/** The same for languages without spaces. */
export const joinUnspaced = (read: (words: UnspacedAnswerWords) => string | undefined): string =>
  joinDistinct(unspaced.map(read))

/** Lists the single words of a field that all languages have, such as the words for yes. */
export const listWords = (field: 'yes' | 'no'): readonly string[] =>
  [...spaced, ...unspaced].flatMap(words => words[field].split('|'))

const joinDistinct = (texts: readonly (string | undefined)[]): string =>
  `(?:${[...new Set(texts.filter(isText))].join('|')})`

const isText = (text: string | undefined): text is string => text !== undefined && text !== ''
