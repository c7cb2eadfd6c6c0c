import { crc32 } from 'node:zlib'
import { bytesSource, type ByteSource } from '../../../base/media/byte-source.js'
import { isWholeIso } from '../../../base/media/iso-boxes.js'
import { isWholeMatroska, sniffMediaType, type MediaType } from '../../../base/media/media-type.js'
import { hasNoPages } from './pdf-pages.js'

export type CheckedMedium =
  { readonly type: 'sound'; readonly media: MediaType } | { readonly type: 'broken'; readonly reason: string }

/**
 * Checks whether bytes look like a complete medium, as far as that is visible without decoding: its format is known
 * and it is not cut short.
 *
 * @param source the whole medium, where `bytes` are only its beginning; then the end is checked only where the
 * header states the size
 */
export function checkMedium(bytes: Uint8Array, source: ByteSource = bytesSource(bytes)): CheckedMedium {
  if (bytes.byteLength === 0) return { type: 'broken', reason: 'the medium is empty' }
  const media = sniffMediaType(bytes, source)
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (media === undefined) return { type: 'broken', reason: describeUnknown(beginning) }
  const problem = problems[media.format]?.(beginning, source)
  return problem === undefined
    ? { type: 'sound', media }
    : { type: 'broken', reason: `the ${media.format.toUpperCase()} ${media.kind} ${problem}` }
}

/** The first bytes of formats that are not read, because APIs and most decoders do not take them, and what to store instead. */
const unread: readonly (readonly [magic: string, name: string, instead: string])[] = [
  ['\xff\x0a', 'JPEG XL', 'PNG'],
  ['\0\0\0\x0cJXL ', 'JPEG XL', 'PNG'],
  ['\0\0\0\x0cjP  ', 'JPEG 2000', 'PNG'],
  ['\xff\x4f\xff\x51', 'JPEG 2000', 'PNG'],
  ['8BPS', 'a picture of Photoshop', 'PNG'],
  ['gimp xcf', 'a picture of GIMP', 'PNG'],
  ['\0\0\x01\0', 'an icon (ICO)', 'PNG'],
  ['P5\n', 'PGM', 'PNG'],
  ['P6\n', 'PPM', 'PNG'],
  ['\x76\x2f\x31\x01', 'OpenEXR', 'PNG'],
  ['#?RADIANCE', 'Radiance HDR', 'PNG'],
  ['AT&TFORM', 'DjVu', 'PDF'],
  ['%!PS', 'PostScript', 'PDF'],
  ['\x0b\x77', 'AC-3', 'WAV'],
  ['\x7f\xfe\x80\x01', 'DTS', 'WAV'],
  ['TTA1', 'True Audio', 'WAV'],
  ['wvpk', 'WavPack', 'WAV'],
  ['riff\x2e\x91\xcf\x11', 'Wave64', 'WAV'],
  ['Creative Voice File', 'VOC', 'WAV'],
  ['MThd', 'MIDI, which holds notes and no sound', 'WAV'],
  ['YUV4MPEG2', 'video without compression (Y4M)', 'MP4'],
  ['DKIF', 'IVF', 'WebM'],
  ['nut/multimedia', 'NUT', 'MP4'],
  ['\x06\x0e\x2b\x34', 'MXF', 'MP4'],
  ['.RMF', 'RealMedia', 'MP4'],
  ['\0\0\0\x01', 'a bare video stream (H.264 or HEVC)', 'MP4'],
  ['PK\x03\x04', 'a ZIP archive', 'the file in it, or an office document as PDF'],
  ['\x1f\x8b', 'compressed by gzip', 'the file in it'],
]

function describeUnknown(bytes: Buffer): string {
  const start = bytes.toString('latin1', 0, 32)
  const [, name, instead = ''] = unread.find(([magic]) => start.startsWith(magic)) ?? []
  if (name !== undefined)
    return `it is ${name}, which is not read. Store ${instead.startsWith('the ') ? instead : `it as ${instead}`}`
  if (start.startsWith('version https://git-lfs')) return lfsReason
  if (isSvg(bytes)) return svgReason
  return /^\s*<(?:!doctype html|html)/i.test(bytes.toString('latin1', 0, 256)) ? htmlReason : unknownReason
}

const lfsReason = 'it is a pointer of Git LFS in place of the file. Fetch the file: git lfs pull'
const htmlReason =
  'it is a page in HTML, as a server sends in place of a file that it does not have or give. Fetch the file again'
const unknownReason = 'not an image, audio, video or PDF: no format that is known'
const svgReason = 'SVG is not drawn, because it may name other files and addresses. Store it as PNG'

/** The number of bytes that are searched for the root element of an SVG file, after comments and a document type. */
const rootWithin = 4096

const isSvg = (bytes: Buffer): boolean => {
  const start = bytes.toString('utf8', 0, Math.min(bytes.length, rootWithin))
  return /^\uFEFF?\s*</.test(start) && /<(?:\w+:)?svg[\s>]/.test(start)
}

type FindProblem = (bytes: Buffer, source: ByteSource) => string | undefined

const unless =
  (isWhole: (bytes: Buffer, source: ByteSource) => boolean): FindProblem =>
  (bytes, source) =>
    isWhole(bytes, source) ? undefined : 'is cut short'

const wholeIso = (index: 'moov' | 'meta') => unless((_, source) => isWholeIso(source, index))
const wholeMatroska = unless((bytes, { size }) => isWholeMatroska(bytes, size))

const problems: Readonly<Record<string, FindProblem>> = {
  png: (bytes, { size }) => (bytes.length < size ? undefined : problemOfPng(bytes)),
  jpeg: unless((bytes, { size }) => bytes.length < size || reachesJpegEnd(bytes)),
  gif: unless((bytes, { size }) => bytes.length < size || (bytes.length > 13 && bytes.subarray(-16).includes(0x3b))),
  webp: unless(hasWholeRiff),
  wav: unless(hasWholeRiff),
  avi: unless(hasWholeRiff),
  mp4: wholeIso('moov'),
  mov: wholeIso('moov'),
  m4a: wholeIso('moov'),
  avif: wholeIso('meta'),
  heic: wholeIso('meta'),
  pdf: (bytes, { size }) => (bytes.length === size && hasNoPages(bytes) ? 'has no pages' : undefined),
  mkv: wholeMatroska,
  webm: wholeMatroska,
}

/**
 * Walks the chunks (length, name, data, checksum) to IEND. Decoders reject a wrong checksum in a critical chunk, whose name begins with a
 * capital letter, and Pillow also rejects one in any chunk before the pixels.
 */
function problemOfPng(bytes: Buffer): string | undefined {
  if (bytes.length >= 24 && bytes.readUInt32BE(16) * bytes.readUInt32BE(20) === 0) return 'has no pixels'
  let isBeforePixels = true
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) break
    const name = bytes.toString('latin1', at + 4, at + 8)
    isBeforePixels &&= name !== 'IDAT'
    if ((isBeforePixels || /^[A-Z]/.test(name)) && crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end))
      return `is damaged: the checksum of ${/^[A-Za-z]{4}$/.test(name) ? `its chunk ${name}` : 'a chunk'} is wrong`
    if (name === 'IEND') return undefined
    at = end + 4
  }
  return 'is cut short'
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
function hasWholeRiff(bytes: Buffer, { size }: ByteSource): boolean {
  if (bytes.length < 12) return false
  const declared = bytes.readUInt32LE(4)
  return declared === 0 || declared === 0xffffffff || declared + 8 <= size + 1
}
