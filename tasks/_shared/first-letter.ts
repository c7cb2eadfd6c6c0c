import { stripWhiteSpace } from '../../base/white-space.js'
import { letter } from './options.js'

/**
 * The option, of the first `count` ones, whose letter an answer begins with: `B`, `(b) blue`, and also the first letter of a word ("Both"
 * is B), as the scripts of BLINK and CV-Bench have it.
 */
export function firstLetter(answer: string, count: number): string | undefined {
  const [, found = ''] = /^[(\s]*([A-Z])/i.exec(stripWhiteSpace(answer)) ?? []
  const options = Array.from({ length: count }, (_, index) => letter(index))
  return options.find(option => option === found.toUpperCase())
}
