import { pythonRegex } from '../../../base/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/white-space.js'
import { sentences } from '../text/sentences/sentences.js'
import { compared, count, text, type Instruction } from './arguments.js'

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
