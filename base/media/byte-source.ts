import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** The bytes of a medium, in memory or in an open file. */
export interface ByteSource {
  /** The size of the whole medium. */
  readonly size: number
  /** Returns bytes from a position on. Fewer are returned if they are unknown, or at the end of the medium. */
  read(position: number, length: number): Buffer
}

/** @param size of the whole medium, if the bytes are only its beginning */
export function bytesSource(bytes: Uint8Array, size = bytes.byteLength): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { size, read: (position, length) => buffer.subarray(position, position + length) }
}

/** Makes a source from an open file and its beginning. Later bytes are read synchronously, because these are small reads. */
export function fileSource(file: FileHandle, beginning: Uint8Array, size: number): ByteSource {
  const start = bytesSource(beginning, size)
  return {
    size,
    read(position, length) {
      if (position + length <= beginning.byteLength) return start.read(position, length)
      const buffer = Buffer.alloc(Math.max(0, Math.min(length, size - position)))
      return buffer.subarray(0, readSync(file.fd, buffer, 0, buffer.length, position))
    },
  }
}
