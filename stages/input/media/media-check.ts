import { sniffMediaType, type MediaType } from '../../../base/media/media-type.js'

export type CheckedMedium =
  { readonly type: 'sound'; readonly media: MediaType } | { readonly type: 'broken'; readonly reason: string }

/**
 * Checks whether bytes look like a complete medium, as far as that is visible without decoding: its format is known
 * and it is not cut short.
 *
 * @param size of the whole medium, where `bytes` are only its beginning; then the end is checked only where the
 * header states the size
 */
export function checkMedium(bytes: Uint8Array, size: number = bytes.byteLength): CheckedMedium {
  if (bytes.byteLength === 0) return { type: 'broken', reason: 'the medium is empty' }
  const media = sniffMediaType(bytes)
  if (media === undefined)
    return { type: 'broken', reason: 'not an image, audio, video or PDF: no format that is known' }
  const isWhole =
    completeness[media.format]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), size) ?? true
  if (isWhole) return { type: 'sound', media }
  return { type: 'broken', reason: `the ${media.format.toUpperCase()} ${media.kind} is cut short` }
}

const completeness: Readonly<Record<string, (bytes: Buffer, size: number) => boolean>> = {
  png: (bytes, size) => bytes.length < size || reachesPngEnd(bytes),
  jpeg: (bytes, size) => bytes.length < size || reachesJpegEnd(bytes),
  gif: (bytes, size) => bytes.length < size || (bytes.length > 13 && bytes.subarray(-16).includes(0x3b)),
  webp: hasWholeRiff,
  wav: hasWholeRiff,
  avi: hasWholeRiff,
}

/** Walks the chunks (length, name, data, checksum) to IEND. */
function reachesPngEnd(bytes: Buffer): boolean {
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return true
  return false
}

/** Walks the segments to the start of the scan, since earlier segments may contain a complete thumbnail. */
function reachesJpegEnd(bytes: Buffer): boolean {
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return false
    const marker = bytes[at + 1]
    if (marker === 0xda) return bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > at
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return false
}

/** Compares the size that the container declares. Streaming writers leave it 0 or at its maximum. */
function hasWholeRiff(bytes: Buffer, size: number): boolean {
  if (bytes.length < 12) return false
  const declared = bytes.readUInt32LE(4)
  return declared === 0 || declared === 0xffffffff || declared + 8 <= size + 1
}
