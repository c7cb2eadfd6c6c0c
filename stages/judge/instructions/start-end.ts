import { stripWhiteSpace } from '../../../base/white-space.js'
import { stripCharacter } from '../text/code-points.js'
import { text, type Instruction } from './arguments.js'

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
