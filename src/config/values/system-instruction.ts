import { statSync } from 'node:fs'
import { PipelineError, messageOf, systemCode } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { readTextSync } from '../../../base/files/files.js'

/** Reads a system instruction: the text itself, or the content of the file that it names. */
export function systemInstruction(given: string): string {
  if (given.includes('\n') || !isThere(given)) return given
  try {
    return readTextSync(given).trim()
  } catch (error) {
    throw new PipelineError('usage', `${option('systemInstruction')} ${given}: ${messageOf(error)}`, { cause: error })
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  } catch (error) {
    // A text may be too long for a path, or contain a slash after a file's name.
    return ['EACCES', 'ELOOP'].includes(systemCode(error) ?? '')
  }
}
