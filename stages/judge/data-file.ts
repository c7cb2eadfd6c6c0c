import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { projectRoot } from '../../cache/code/build-info.js'
import { sha256 } from '../../cache/digest.js'

/** A data table in `tasks/_shared/data/`, which ships with the program. */
export interface DataFile {
  readonly name: string
  /**
   * The digest of the file's bytes. It is in the code so that the keys of scores that depend on the table change
   * with it.
   */
  readonly digest: string
}

/**
 * Reads the JSON of a table that is compressed with Brotli.
 *
 * @throws PipelineError if the file is missing or its digest differs.
 */
export function readData({ name, digest }: DataFile): unknown {
  const file = join(projectRoot, 'tasks', '_shared', 'data', `${name}.json.br`)
  const bytes = read(file)
  if (sha256(bytes) !== `sha256:${digest}`)
    throw new PipelineError('config', `${file} is not as it was delivered: install the program again`)
  return JSON.parse(brotliDecompressSync(bytes).toString('utf8'))
}

function read(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new PipelineError('config', `${file} is missing: install the program again`, { cause: error })
  }
}
