import type { Instruction } from './arguments.js'

/** No comma is there. */
export const noComma: Instruction = response => !response.includes(',')
