import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/**
 * Writes a file that appears under its name only when it is complete. It is not synced to the disk, so it suits what can
 * be made again. The folder must exist.
 */
export async function writeWhole(
  file: string,
  content: string | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await pipeline(typeof content === 'string' ? [content] : content, createWriteStream(temporary))
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
