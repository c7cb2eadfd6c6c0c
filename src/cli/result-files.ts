import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { PipelineError, messageOf } from '../../base/errors/errors.js'
import { makeFolder } from '../../cache/make-folder.js'
import { refuseStorePath } from '../../cache/output-path.js'
import type { Store } from '../../cache/store.js'
import { writeRunFiles } from '../present/files/run-files.js'
import type { Results } from '../present/json/results-json.js'

/**
 * Creates the folder of results before work starts.
 *
 * @param store the location of the store that the command works on
 * @throws PipelineError if it is not writable, or a part of a store
 */
export function makeResultFolder(dir: string, store?: string): void {
  refuseStorePath({ path: dir, label: `--output-path ${dir}`, store })
  try {
    makeFolder(dir)
    accessSync(dir, constants.W_OK)
  } catch (error) {
    throw notWritten(dir, error)
  }
}

const notWritten = (dir: string, error: unknown): PipelineError =>
  new PipelineError('usage', `--output-path ${dir}: ${messageOf(error)}`, { cause: error })

/**
 * Writes the files of a run into a folder with its name; those of samples, too, if there is a store.
 *
 * @returns the folder
 * @throws PipelineError if it cannot be written
 */
export async function writeResultFiles(dir: string, results: Results, store: Store | undefined): Promise<string> {
  const folder = join(dir, results.run.name)
  refuseStorePath({ path: folder, label: `--output-path ${dir}`, store: store?.location })
  try {
    makeFolder(folder)
    await writeRunFiles(folder, results, store)
  } catch (error) {
    throw notWritten(dir, error)
  }
  return folder
}
