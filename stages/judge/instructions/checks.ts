import { isLower, isUpper } from '../../../base/python/python-text.js'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { stripCharacter } from '../text/code-points.js'
import { detectLanguage } from '../text/detect-language.js'
import { sentences } from '../text/sentences/sentences.js'
import { treebankWords } from '../text/sentences/treebank-words.js'
import { isInRelation, count, text, texts, type Instruction } from './arguments.js'

/** The answer is two different responses with `******` between them. */
export const twoResponses: Instruction = response => {
  const pieces = response.split('******').map(stripWhiteSpace)
  const [first, second, ...more] = pieces.filter(piece => piece !== '')
  const isEmptyWithin = pieces.slice(1, -1).includes('')
  return !isEmptyWithin && more.length === 0 && second !== undefined && first !== second
}

/** The answer begins with `prompt_to_repeat`; case is ignored. */
export const repeatPrompt: Instruction = (response, args) => {
  const prompt = stripWhiteSpace(text(args, 'prompt_to_repeat')).toLowerCase()
  return stripWhiteSpace(response).toLowerCase().startsWith(prompt)
}

/** The answer has at least `num_placeholders` placeholders in square brackets. */
export const placeholders: Instruction = (response, args) =>
  [...response.matchAll(/\[[^\n]*?\]/g)].length >= count(args, 'num_placeholders')

/** The answer has a postscript that begins with `postscript_marker`. */
export const postscript: Instruction = (response, args) =>
  pythonRegex(postscriptPattern(stripWhiteSpace(text(args, 'postscript_marker')))).test(response.toLowerCase())

function postscriptPattern(marker: string): string {
  if (marker === 'P.P.S') return 'p\\.\\s?p\\.\\s?s'
  return marker === 'P.S.' ? 'p\\.\\s?s\\.' : marker.toLowerCase()
}

const stars = pythonRegex('(?m)^\\s*\\*[^*].*$', 'g')
const dashes = pythonRegex('(?m)^\\s*-.*$', 'g')

/** The answer has exactly `num_bullets` lines that begin with `*` or `-`. */
export const bulletLists: Instruction = (response, args) =>
  [...response.matchAll(stars), ...response.matchAll(dashes)].length === count(args, 'num_bullets')

/** The answer contains one of three fixed sentences. */
export const constrainedResponse: Instruction = response =>
  ['yes', 'no', 'maybe'].some(word => response.includes(`My answer is ${word}.`))

/** The answer has at least `num_highlights` parts between `*` or `**` on one line. */
export const highlightedSections: Instruction = (response, args) => {
  const single = [...response.matchAll(/\*[^\n*]*\*/g)].map(([part]) => stripCharacter(part, '*'))
  const double = [...response.matchAll(/\*\*[^\n*]*\*\*/g)].map(([part]) => part.slice(2, -2))
  return [...single, ...double].filter(part => stripWhiteSpace(part) !== '').length >= count(args, 'num_highlights')
}

/** The answer has at least `num_sections` sections that begin with `section_spliter` and a number. */
export const multipleSections: Instruction = (response, args) => {
  const heading = pythonRegex(`\\s?${stripWhiteSpace(text(args, 'section_spliter'))}\\s?\\d+\\s?`, 'g')
  return [...response.matchAll(heading)].length >= count(args, 'num_sections')
}

/** The answer is JSON, with or without a Markdown fence. NaN and Infinity are allowed, as in Python. */
export const jsonFormat: Instruction = response => {
  const bare = stripWhiteSpace(response)
    .replace(/^```json/, '')
    .replace(/^```Json/, '')
    .replace(/^```JSON/, '')
    .replace(/^```/, '')
    .replace(/```$/, '')
  const finite = stripWhiteSpace(bare).replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/gs, part =>
    part.startsWith('"') ? part : '0',
  )
  try {
    JSON.parse(finite)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** The answer has a title between `<<` and `>>`. */
export const title: Instruction = response =>
  response
    .split('\n')
    .flatMap(line => [...line.slice(0, line.lastIndexOf('>>') + 2).matchAll(/<<.+>>/gs)])
    .some(([part]) => stripWhiteSpace(part.replace(/^<+/, '').replace(/>+$/, '')) !== '')

/** Counts the matches of a keyword, which is a regular expression; case is ignored. */
const countKeyword = (keyword: string, response: string): number =>
  [...response.matchAll(pythonRegex(keyword, 'gi'))].length

/** The answer contains each of `keywords`. */
export const existence: Instruction = (response, args) =>
  texts(args, 'keywords').every(keyword => countKeyword(keyword, response) > 0)

/** `keyword` occurs less than, or at least, `frequency` times. */
export const frequency: Instruction = (response, args) =>
  isInRelation(countKeyword(stripWhiteSpace(text(args, 'keyword')), response), args, {
    wanted: 'frequency',
    by: 'relation',
  })

/** The answer contains none of `forbidden_words` as a whole word. */
export const forbiddenWords: Instruction = (response, args) =>
  texts(args, 'forbidden_words').every(word => countKeyword(`\\b${word}\\b`, response) === 0)

/**
 * `letter` occurs less than, or at least, `let_frequency` times; case is ignored. For a character outside a to z
 * the reference draws a random letter. Here the character itself is counted.
 */
export const letterFrequency: Instruction = (response, args) => {
  const letter = stripWhiteSpace(text(args, 'letter')).toLowerCase()
  const times = Array.from(response.toLowerCase()).filter(character => character === letter).length
  return isInRelation(times, args, { wanted: 'let_frequency', by: 'let_relation' })
}

/**
 * The answer is in the language with the code `language`. An answer whose language can't be detected counts as
 * followed.
 */
export const responseLanguage: Instruction = (response, args) => {
  const wanted = text(args, 'language')
  const language = detectLanguage(response)
  return language === undefined || language === wanted
}

const isBlank = (piece: string): boolean => stripWhiteSpace(piece) === ''
const word = pythonRegex('\\w+', 'g')
const divider = pythonRegex('\\s?\\*\\*\\*\\s?', 'g')

/** The answer has less than, or at least, `num_sentences` sentences. */
export const numberOfSentences: Instruction = (response, args) =>
  isInRelation(sentences(response).length, args, { wanted: 'num_sentences', by: 'relation' })

/** The answer has less than, or at least, `num_words` runs of letters, digits and underscores. */
export const numberOfWords: Instruction = (response, args) =>
  isInRelation([...response.matchAll(word)].length, args, { wanted: 'num_words', by: 'relation' })

/** Lines of `***` divide the answer into `num_paragraphs` parts. Empty parts are allowed only at the ends. */
export const numberOfParagraphs: Instruction = (response, args) => {
  const pieces = response.split(divider)
  const isEmptyWithin = pieces.some((piece, index) => index > 0 && index < pieces.length - 1 && isBlank(piece))
  return !isEmptyWithin && pieces.filter(piece => !isBlank(piece)).length === count(args, 'num_paragraphs')
}

/** The answer has `num_paragraphs` paragraphs, and number `nth_paragraph` begins with `first_word`. */
export const firstWordOfParagraph: Instruction = (response, args) => {
  const pieces = response.split('\n\n')
  const paragraphs = pieces.filter(piece => !isBlank(piece)).length
  const number = count(args, 'nth_paragraph')
  // The reference leaves blank pieces out of the count, but not when it takes the n-th piece.
  const piece = number <= paragraphs ? pieces.at(number - 1) : undefined
  if (piece === undefined || isBlank(piece)) return false
  const first = firstWord(piece)
  return paragraphs === count(args, 'num_paragraphs') && first === text(args, 'first_word').toLowerCase()
}

/** The first word in lower case, without leading quotes, cut at the first punctuation character. */
function firstWord(paragraph: string): string {
  const [first = ''] = splitWhiteSpace(paragraph)
  const bare = first.replace(/^'+/, '').replace(/^"+/, '')
  return bare.replace(/[.,?!'"].*$/s, '').toLowerCase()
}

/** Less than, or at least, `capital_frequency` words have no lower-case letter. */
export const capitalWords: Instruction = (response, args) =>
  isInRelation(treebankWords(response).filter(isUpper).length, args, {
    wanted: 'capital_frequency',
    by: 'capital_relation',
  })

/** The answer is English without lower-case letters. */
export const englishCapital: Instruction = response => isUpper(response) && mayBeEnglish(response)

/** The answer is English without upper-case letters. */
export const englishLowercase: Instruction = response => isLower(response) && mayBeEnglish(response)

/** Returns whether an answer is English, or in no detectable language. */
function mayBeEnglish(response: string): boolean {
  const language = detectLanguage(response)
  return language === undefined || language === 'en'
}

/** The answer contains no comma. */
export const noComma: Instruction = response => !response.includes(',')

/** The answer ends with `end_phrase`, inside or outside quotes; case is ignored. */
export const endChecker: Instruction = (response, args) => {
  const phrase = stripWhiteSpace(text(args, 'end_phrase')).toLowerCase()
  return stripCharacter(stripWhiteSpace(response), '"').toLowerCase().endsWith(phrase)
}

/** The whole answer is in double quotes. */
export const quotation: Instruction = response => {
  const bare = stripWhiteSpace(response)
  return bare.length > 1 && bare.startsWith('"') && bare.endsWith('"')
}
