import { pythonRegex } from '../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { compared, text, texts, type Instruction } from './arguments.js'

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
