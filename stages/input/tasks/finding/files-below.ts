import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'

/**
 * Lists the files below a folder whose name matches, sorted by name, so that the order is the same everywhere. Hidden folders and `node_modules` are
 * left out.
 *
 * @param shownFolder the folder as the user wrote it, for the message
 * @throws PipelineError if the folder does not exist.
 */
export function filesBelow(folder: string, isMeant: RegExp, shownFolder = folder): readonly string[] {
  const files: string[] = []
  for (const entry of listEntries(folder, shownFolder).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) for (const file of filesBelow(join(folder, entry.name), isMeant)) files.push(file)
    else if (isMeant.test(entry.name)) files.push(join(folder, entry.name))
  }
  return files
}

function listEntries(folder: string, shownFolder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) throw error
    throw new PipelineError('config', `no folder ${shownFolder}`, { cause: error })
  }
}
