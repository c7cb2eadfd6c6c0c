import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { WorkBudget } from '../../../base/files/work-budget.js'
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
export async function checkMedium(bytes: Uint8Array, source: ByteSource = bytesSource(bytes)): Promise<CheckedMedium> {
  if (bytes.byteLength === 0) return { type: 'broken', reason: 'the medium is empty' }
  const media = sniffMediaType(bytes, source)
  const beginning = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (media === undefined) return { type: 'broken', reason: describeUnknown(beginning) }
  const problem = await problems[media.format]?.(beginning, source)
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

type FindProblem = (bytes: Buffer, source: ByteSource) => Promise<string | undefined> | string | undefined

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
  pdf: problemOfPdf,
  mkv: wholeMatroska,
  webm: wholeMatroska,
}

/** The maximum number of chunks of a PNG, and of segments of a JPEG and bytes between them. Encoders write a chunk for each 8 kB or more. */
const limits = { steps: 100_000 }

/**
 * Walks the chunks (length, name, data, checksum) to IEND. Decoders reject a wrong checksum in a critical chunk, whose name begins with a
 * capital letter, and Pillow also rejects one in any chunk before the pixels.
 */
async function problemOfPng(bytes: Buffer): Promise<string | undefined> {
  if (bytes.length >= 24 && bytes.readUInt32BE(16) * bytes.readUInt32BE(20) === 0) return 'has no pixels'
  const budget = new WorkBudget(limits)
  let isBeforePixels = true
  for (let at = 8; at + 12 <= bytes.length;) {
    if (!budget.tryStep()) return `is made of more than ${limits.steps} chunks`
    const end = at + 8 + bytes.readUInt32BE(at)
    if (end + 4 > bytes.length) break
    const name = bytes.readUInt32BE(at + 4)
    isBeforePixels &&= name !== chunkNames.pixels
    const isCritical = name >>> 24 >= 0x41 && name >>> 24 <= 0x5a
    if ((isBeforePixels || isCritical) && (await checksum(bytes.subarray(at + 4, end))) !== bytes.readUInt32BE(end)) {
      const text = bytes.toString('latin1', at + 4, at + 8)
      return `is damaged: the checksum of ${/^[A-Za-z]{4}$/.test(text) ? `its chunk ${text}` : 'a chunk'} is wrong`
    }
    if (name === chunkNames.end) return undefined
    at = end + 4
  }
  return 'is cut short'
}

const chunkNames = { pixels: 0x49444154, end: 0x49454e44 } as const

/** The number of bytes that are summed before other work gets its turn. */
const pieceBytes = 16 * 2 ** 20

function checksum(bytes: Buffer): Promise<number> | number {
  return bytes.length <= pieceBytes ? crc32(bytes) : checksumInPieces(bytes)
}

async function checksumInPieces(bytes: Buffer): Promise<number> {
  let sum = 0
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    sum = crc32(bytes.subarray(at, at + pieceBytes), sum)
    await setImmediate()
  }
  return sum
}

/** Walks the segments to the start of the scan, since earlier segments may contain a complete thumbnail. */
function reachesJpegEnd(bytes: Buffer): boolean {
  const budget = new WorkBudget(limits)
  for (let at = 2; at + 4 <= bytes.length && budget.tryStep();) {
    if (bytes[at] !== 0xff) return false
    const marker = bytes[at + 1]
    if (marker === 0xda) return bytes.lastIndexOf('\xff\xd9', undefined, 'latin1') > at
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return false
}

/** Within so many bytes from its end, a document states where its list of objects begins. Source: PDF Reference 1.7, appendix H, note 18. */
const pdfEndWithin = 1024

async function problemOfPdf(bytes: Buffer, source: ByteSource): Promise<string | undefined> {
  if (!reachesPdfEnd(source)) return 'is cut short'
  return bytes.length === source.size && (await hasNoPages(bytes)) ? 'has no pages' : undefined
}

/** Tells whether a document has its end, behind which there may be blanks. True as well if the end is not in the source. */
function reachesPdfEnd(source: ByteSource): boolean {
  const from = Math.max(0, source.size - 64 * pdfEndWithin)
  const end = source.read(from, source.size - from)
  if (end.length < source.size - from) return true
  let to = end.length
  while (to > 0 && blanks.has(end[to - 1] ?? NaN)) to -= 1
  const text = end.toString('latin1', Math.max(0, to - pdfEndWithin), to)
  return text.includes('%%EOF') || text.includes('startxref')
}

/** NUL, tabulator, line feed, form feed, carriage return and space. */
const blanks: ReadonlySet<number> = new Set([0, 9, 10, 12, 13, 32])

/** Compares the size that the container declares. Streaming writers leave it 0 or at its maximum. */
function hasWholeRiff(bytes: Buffer, { size }: ByteSource): boolean {
  if (bytes.length < 12) return false
  const declared = bytes.readUInt32LE(4)
  return declared === 0 || declared === 0xffffffff || declared + 8 <= size + 1
}
