import { pythonRegex } from '../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { isLower, isUpper, stripCharacter } from '../text/code-points.js'
import { detectLanguage } from '../text/detect-language.js'
import { sentences } from '../text/sentences/sentences.js'
import { treebankWords } from '../text/sentences/treebank-words.js'
import { compared, count, text, texts, type Instruction } from './arguments.js'

/** Two answers that differ, with `******` between them. */
export const twoResponses: Instruction = response => {
  const pieces = response.split('******').map(stripWhiteSpace)
  const [first, second, ...more] = pieces.filter(piece => piece !== '')
  const isEmptyWithin = pieces.slice(1, -1).includes('')
  return !isEmptyWithin && more.length === 0 && second !== undefined && first !== second
}

/** The answer begins with `prompt_to_repeat`, in any case. */
export const repeatPrompt: Instruction = (response, args) => {
  const prompt = stripWhiteSpace(text(args, 'prompt_to_repeat')).toLowerCase()
  return stripWhiteSpace(response).toLowerCase().startsWith(prompt)
}

/** At least `num_placeholders` placeholders in square brackets are there. */
export const placeholders: Instruction = (response, args) =>
  [...response.matchAll(/\[[^\n]*?\]/g)].length >= count(args, 'num_placeholders')

/** A postscript is there, which begins as `postscript_marker` says. */
export const postscript: Instruction = (response, args) =>
  pythonRegex(postscriptPattern(stripWhiteSpace(text(args, 'postscript_marker')))).test(response.toLowerCase())

function postscriptPattern(marker: string): string {
  if (marker === 'P.P.S') return 'p\\.\\s?p\\.\\s?s'
  return marker === 'P.S.' ? 'p\\.\\s?s\\.' : marker.toLowerCase()
}

const stars = pythonRegex('(?m)^\\s*\\*[^*].*$', 'g')
const dashes = pythonRegex('(?m)^\\s*-.*$', 'g')

/** The answer has just `num_bullets` lines that begin with `*` or `-`. */
export const bulletLists: Instruction = (response, args) =>
  [...response.matchAll(stars), ...response.matchAll(dashes)].length === count(args, 'num_bullets')

/** One of three answers is there. */
export const constrainedResponse: Instruction = response =>
  ['yes', 'no', 'maybe'].some(word => response.includes(`My answer is ${word}.`))

/** At least `num_highlights` parts stand between `*` or `**` on one line. */
export const highlightedSections: Instruction = (response, args) => {
  const single = [...response.matchAll(/\*[^\n*]*\*/g)].map(([part]) => stripCharacter(part, '*'))
  const double = [...response.matchAll(/\*\*[^\n*]*\*\*/g)].map(([part]) => part.slice(2, -2))
  return [...single, ...double].filter(part => stripWhiteSpace(part) !== '').length >= count(args, 'num_highlights')
}

/** At least `num_sections` sections begin with `section_spliter` and a number. */
export const multipleSections: Instruction = (response, args) => {
  const heading = pythonRegex(`\\s?${stripWhiteSpace(text(args, 'section_spliter'))}\\s?\\d+\\s?`, 'g')
  return [...response.matchAll(heading)].length >= count(args, 'num_sections')
}

/** The answer is JSON, between ``` or not. As in Python, that has NaN and Infinity. */
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

/** A title between `<<` and `>>` is there. */
export const title: Instruction = response =>
  response
    .split('\n')
    .flatMap(line => [...line.slice(0, line.lastIndexOf('>>') + 2).matchAll(/<<.+>>/gs)])
    .some(([part]) => stripWhiteSpace(part.replace(/^<+/, '').replace(/>+$/, '')) !== '')

/** Keywords are regular expressions, in any case. */
const found = (keyword: string, response: string): number => [...response.matchAll(pythonRegex(keyword, 'gi'))].length

/** Each of `keywords` is there. */
export const existence: Instruction = (response, args) =>
  texts(args, 'keywords').every(keyword => found(keyword, response) > 0)

/** `keyword` is there less than, or at least, `frequency` times. */
export const frequency: Instruction = (response, args) =>
  compared(found(stripWhiteSpace(text(args, 'keyword')), response), args, { wanted: 'frequency', by: 'relation' })

/** None of `forbidden_words` is there as a whole word. */
export const forbiddenWords: Instruction = (response, args) =>
  texts(args, 'forbidden_words').every(word => found(`\\b${word}\\b`, response) === 0)

/**
 * `letter`, large or small, is there less than, or at least, `let_frequency` times. For a sign that is no letter from a to z the reference
 * draws a letter at random; here it is counted itself.
 */
export const letterFrequency: Instruction = (response, args) => {
  const letter = stripWhiteSpace(text(args, 'letter')).toLowerCase()
  const times = Array.from(response.toLowerCase()).filter(character => character === letter).length
  return compared(times, args, { wanted: 'let_frequency', by: 'let_relation' })
}

/** The answer is in `language`, a code. One in which there is nothing to tell its language by counts as one that follows. */
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
  compared(sentences(response).length, args, { wanted: 'num_sentences', by: 'relation' })

/** The answer has less than, or at least, `num_words` runs of letters, digits and underscores. */
export const numberOfWords: Instruction = (response, args) =>
  compared([...response.matchAll(word)].length, args, { wanted: 'num_words', by: 'relation' })

/** Lines of `***` divide the answer into `num_paragraphs` parts. An empty part is one too many, but at the ends. */
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
  // The reference counts without blank pieces, and takes the piece with them.
  const piece = number <= paragraphs ? pieces.at(number - 1) : undefined
  if (piece === undefined || isBlank(piece)) return false
  const first = firstWord(piece)
  return paragraphs === count(args, 'num_paragraphs') && first === text(args, 'first_word').toLowerCase()
}

/** In small letters, without quotes before it and whatever begins with punctuation behind it. */
function firstWord(paragraph: string): string {
  const [first = ''] = splitWhiteSpace(paragraph)
  const bare = first.replace(/^'+/, '').replace(/^"+/, '')
  return bare.replace(/[.,?!'"].*$/s, '').toLowerCase()
}

/** Less than, or at least, `capital_frequency` words have no small letter. */
export const capitalWords: Instruction = (response, args) =>
  compared(treebankWords(response).filter(isUpper).length, args, {
    wanted: 'capital_frequency',
    by: 'capital_relation',
  })

/** The answer is English without small letters. */
export const englishCapital: Instruction = response => isUpper(response) && mayBeEnglish(response)

/** The answer is English without large letters. */
export const englishLowercase: Instruction = response => isLower(response) && mayBeEnglish(response)

/** An answer in which there is nothing to tell its language by counts as one that follows. */
function mayBeEnglish(response: string): boolean {
  const language = detectLanguage(response)
  return language === undefined || language === 'en'
}

/** No comma is there. */
export const noComma: Instruction = response => !response.includes(',')

/** The answer, or what its quotes hold, ends with `end_phrase`, in any case. */
export const endChecker: Instruction = (response, args) => {
  const phrase = stripWhiteSpace(text(args, 'end_phrase')).toLowerCase()
  return stripCharacter(stripWhiteSpace(response), '"').toLowerCase().endsWith(phrase)
}

/** The whole answer stands between double quotes. */
export const quotation: Instruction = response => {
  const bare = stripWhiteSpace(response)
  return bare.length > 1 && bare.startsWith('"') && bare.endsWith('"')
}
