import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { projectRoot } from '../../cache/code/build-info.js'
import { sha256 } from '../../cache/digest.js'

/** A table that comes with the program, in `tasks/_shared/data/`. */
export interface DataFile {
  readonly name: string
  /** Of the file's bytes. It stands in the code so that the key of every score that leans on the table depends on it. */
  readonly digest: string
}

/**
 * The JSON in a table that is compressed with Brotli.
 *
 * @throws PipelineError where it is missing, or not the one that the code was written for.
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
