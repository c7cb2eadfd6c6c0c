import { sha256, type MediaDigest } from '../digest.js'

/** The length of this many bytes in base64. */
export const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)

/** The number of bytes that are converted at once. A larger text is allocated outside the heap, which is ten times slower. */
const textBytes = 3 * 16 * 1024

/**
 * Writes a medium in base64, if its content matches its digest.
 *
 * @returns the number of bytes written, or undefined if the content differs
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
