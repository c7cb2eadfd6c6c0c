import { statSync } from 'node:fs'
import { PipelineError, messageOf, systemCode } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { readTextSync } from '../../../base/files/files.js'

/** Reads a system instruction: the text itself, or the content of the file that it names. */
export function systemInstruction(value: string): string {
  if (value.includes('\n') || !isThere(value)) return value
  try {
    return readTextSync(value).trim()
  } catch (error) {
    throw new PipelineError('usage', `${option('systemInstruction')} ${value}: ${messageOf(error)}`, { cause: error })
  }
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === false
  } catch (error) {
    // The text may be too long for a path, or have a file in place of a folder.
    return ['EACCES', 'ELOOP'].includes(systemCode(error) ?? '')
  }
}
