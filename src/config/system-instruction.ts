import { readFileSync, statSync } from 'node:fs'
import { PipelineError, messageOf } from '../../base/errors.js'

/** What stands before each conversation: the text itself, or that of the file whose path it is. */
export function systemInstruction(given: string): string {
  if (given.includes('\n') || !isFile(given)) return given
  try {
    return readFileSync(given, 'utf8').trim()
  } catch (error) {
    throw new PipelineError('usage', `--system-instruction ${given}: ${messageOf(error)}`, { cause: error })
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
