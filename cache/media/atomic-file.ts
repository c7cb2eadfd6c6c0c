import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { makeFolder } from '../make-folder.js'

let fileCount = 0

/**
 * Writes a file that appears under its name only when it is complete: temporary name, fsync, rename, fsync of the
 * folder. Without the last step a power cut may undo the rename.
 *
 * @throws PipelineError (store) if the disk is full
 */
export async function writeAtomically(
  path: string,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const folder = dirname(path)
  const temporary = join(folder, `.${basename(path)}.${process.pid}.${(fileCount += 1)}.tmp`)
  try {
    const file = await create(temporary)
    try {
      await fill(bytes => writeAll(file, bytes))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw explainFullDisk(folder, error)
  }
  await syncFolder(folder)
}

/** Creates a file, and its folder if that is missing. */
async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx')
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    makeFolder(dirname(path))
    return open(path, 'wx')
  }
}

/** Writes in as few calls as the system allows. `writeFile` would write half a megabyte at a time. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length;) start += (await file.write(bytes, start)).bytesWritten
}

/** Explains an error of a full disk to the user. Any other error is returned as it is. */
export const explainFullDisk = (folder: string, error: unknown): unknown =>
  isDiskFull(error) ? diskFullError(folder, error) : error

const isDiskFull = (error: unknown): boolean => /^(ENOSPC|EDQUOT|EFBIG)$/.test(systemCode(error) ?? '')

const diskFullError = (folder: string, cause: unknown): PipelineError =>
  new PipelineError(
    'store',
    `no space left on the disk of ${folder}. All that was there before is kept; free some space and run the same command again.`,
    { cause, reason: 'store-full' },
  )

/** Makes renames within a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
