import { pythonRegex } from '../../../base/python-regex.js'
import { stripWhiteSpace } from '../../../base/white-space.js'
import { count, text, type Instruction } from './arguments.js'

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
