import type { FileHandle } from 'node:fs/promises'
import type { AsyncBuffer } from 'hyparquet'

/** Gives the Parquet reader slices of a file on demand. The caller owns the handle and must close it. */
export async function fileBuffer(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat()
  return {
    byteLength: size,
    async slice(start, end = size) {
      const buffer = new ArrayBuffer(end - start)
      const bytes = new Uint8Array(buffer)
      for (let filled = 0; filled < bytes.length;) {
        const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
        if (bytesRead === 0) throw new RangeError(`the file ends at ${start + filled}, before ${end}`)
        filled += bytesRead
      }
      return buffer
    },
  }
}
