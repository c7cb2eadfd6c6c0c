import { sha256, type MediaDigest } from '../digest.js'

/** Bytes that so many bytes are in base64. */
export const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)

/** So much becomes a text at once: larger ones are made outside of the heap, which takes ten times as long. */
const textBytes = 3 * 16 * 1024

/**
 * Writes a medium in base64, if it is what its digest says.
 *
 * @returns how many bytes were written; nothing where it is another.
 */
export function encodeMedium(bytes: Buffer, digest: MediaDigest, into: Buffer): number | undefined {
  if (sha256<'media'>(bytes) !== digest) return undefined
  let length = 0
  for (let start = 0; start < bytes.length; start += textBytes) {
    const text = bytes.toString('base64', start, Math.min(start + textBytes, bytes.length))
    length += into.write(text, length, 'latin1')
  }
  return length
}
