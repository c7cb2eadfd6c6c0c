import { stripWhiteSpace } from '../../../base/white-space.js'
import { text, type Instruction } from './arguments.js'

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
