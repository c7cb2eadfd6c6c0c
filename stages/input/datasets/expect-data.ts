import type { Stats } from 'node:fs'
import { open } from 'node:fs/promises'
import { PipelineError, systemCode } from '../../../base/errors.js'
import { expectFile, FileError, fileTrouble } from '../../../base/files.js'
import { foreignBytes, foreignContent, pointerContent } from '../../../base/foreign-content.js'
import { shownPath } from '../../../base/shown-path.js'

/** @throws PipelineError where a path leads to nothing that has an end: to open a pipe may wait for ever. */
export async function expectDataFile(path: string): Promise<Stats> {
  return expectFile(path).catch((error: unknown) => refuse(path, error))
}

/**
 * Verifies that a data file is there, and is not a note in place of the content, or of another kind than its name says.
 *
 * @param encoding of its text, where that is not UTF-8
 * @throws PipelineError with what can be done
 */
export async function expectData(path: string, encoding?: string): Promise<void> {
  await expectDataFile(path)
  try {
    const beginning = await firstBytes(path)
    const isText = /\.(jsonl?|ndjson|csv|tsv|txt)$/i.test(path) && encoding === undefined
    const problem = isText ? foreignContent(beginning) : pointerContent(beginning)
    if (problem !== undefined) throw new FileError(problem)
  } catch (error) {
    refuse(path, error)
  }
}

function refuse(path: string, error: unknown): never {
  const why = fileTrouble(error)
  if (why === undefined) throw error
  const isMissing = systemCode(error) === 'ENOENT'
  const text = isMissing ? `no file ${shownPath(path)}` : `${shownPath(path)}: ${why}`
  throw new PipelineError('dataset', text, { cause: error })
}

async function firstBytes(file: string): Promise<Uint8Array> {
  await using handle = await open(file)
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(foreignBytes), { position: 0 })
  return buffer.subarray(0, bytesRead)
}
