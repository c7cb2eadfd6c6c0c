import { open, stat } from 'node:fs/promises'
import type { BufferPool } from '../../../base/buffer-pool.js'
import { messageOf, systemCode } from '../../../base/errors.js'
import { fileTrouble } from '../../../base/files.js'
import type { FileContent } from '../../../cache/store.js'
import { MediumError } from './medium-error.js'

/** A file that a medium is taken from. */
export interface SourceFile {
  readonly size: number
  /** All of it, where `content` is there. */
  readonly beginning: Uint8Array
  readonly content?: FileContent
  /** Nobody reads its bytes any more. */
  letGo(): void
}

/** Of larger files only the beginning is read. */
const largestWhole = 16 * 2 ** 20
const beginningBytes = 64 * 2 ** 10

/** @throws MediumError where it is missing or can't be read. */
export async function readSourceFile(path: string, name: string, buffers: BufferPool): Promise<SourceFile> {
  try {
    const { size: exactSize, mtimeNs: modified } = await stat(path, { bigint: true })
    const size = Number(exactSize)
    const wanted = size <= largestWhole ? size : beginningBytes
    const buffer = await buffers.take(wanted)
    const letGo = (): void => buffers.giveBack(buffer)
    try {
      await using file = await open(path)
      const { bytesRead } = await file.read(buffer, 0, wanted, 0)
      const beginning = buffer.subarray(0, bytesRead)
      return { size, beginning, letGo, ...(bytesRead === size ? { content: { bytes: beginning, modified } } : {}) }
    } catch (error) {
      letGo()
      throw error
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new MediumError(`no file ${name}`, { cause: error })
    throw new MediumError(`${name} can't be read: ${fileTrouble(error) ?? messageOf(error)}`, { cause: error })
  }
}
