import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { option as named } from '../../../base/errors/option-words.js'
import { readTextSync } from '../../../base/files/files.js'

/** Reads the ids and patterns of a `.txt` file, one a line. Another text is an id or pattern itself. */
export function readDocNames(text: string): readonly string[] {
  if (!text.endsWith('.txt')) return [text]
  const names = readNamesFile('docs', text)
    .split(/\r?\n/)
    .map(line => line.trim())
    .filter(line => line !== '')
  if (names.length === 0) throw new PipelineError('usage', `--docs ${text}: the file names no docs`)
  return names
}

/** The maximum size of such a file: a million ids. */
const mostBytes = 64 * 2 ** 20

/** @throws PipelineError (usage) if the file cannot be read */
export function readNamesFile(name: 'samples' | 'docs', path: string): string {
  try {
    return readTextSync(path, mostBytes)
  } catch (error) {
    throw new PipelineError('usage', `${named(name)} ${path}: ${messageOf(error)}`, { cause: error })
  }
}
