import { pythonRegex } from '../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { stripCharacter } from '../text/code-points.js'
import { count, text, type Instruction } from './arguments.js'

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
