import { statSync } from 'node:fs'
import { PipelineError, messageOf, systemCode } from '../../base/errors.js'
import { readTextSync } from '../../base/files.js'

/** What stands before each conversation: the text itself, or that of the file whose path it is. */
export function systemInstruction(given: string): string {
  if (given.includes('\n') || !isThere(given)) return given
  try {
    return readTextSync(given).trim()
  } catch (error) {
    throw new PipelineError('usage', `--system-instruction ${given}: ${messageOf(error)}`, { cause: error })
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  } catch (error) {
    // A text may be longer than a path can be, or go through what is no folder.
    return ['EACCES', 'ELOOP'].includes(systemCode(error) ?? '')
  }
}
