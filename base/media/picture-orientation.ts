import { WorkBudget } from '../files/work-budget.js'

/** The maximum number of segments or chunks that are looked at, and of bytes that fill the space between segments. */
const limits = { steps: 100_000 }

/**
 * Reads the orientation that the Exif metadata of a JPEG, PNG, WebP or TIFF states. Phones store pictures as the sensor sees them, and
 * viewers turn them by this number.
 *
 * Source: Exif 2.32, tag 0x0112.
 *
 * @param bytes the whole picture, because PNG and WebP may have the metadata at their end
 * @returns 1 (upright) to 8; 1 if there is none, it is damaged, or too much precedes it
 */
export function pictureOrientation(bytes: Uint8Array): number {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const exif = findExif(file)
    const value = exif === undefined ? undefined : orientationIn(exif)
    return value !== undefined && value >= 1 && value <= 8 ? value : 1
  } catch (error) {
    // The metadata end too early.
    if (error instanceof RangeError) return 1
    throw error
  }
}

function findExif(file: Buffer): Buffer | undefined {
  const magic = file.toString('latin1', 0, 4)
  if (magic === '\x89PNG') return exifOfPng(file)
  if (magic === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP') return exifOfWebp(file)
  if (magic === 'II*\0' || magic === 'MM\0*') return file
  return magic.startsWith('\xff\xd8') ? exifOfJpeg(file) : undefined
}

const exifMark = 'Exif\0\0'

const withoutMark = (exif: Buffer): Buffer =>
  exif.toString('latin1', 0, exifMark.length) === exifMark ? exif.subarray(exifMark.length) : exif

/** Walks the segments to the start of the scan. Source: ITU-T T.81, annex B. */
function exifOfJpeg(file: Buffer): Buffer | undefined {
  const budget = new WorkBudget(limits)
  for (let at = 2; file.readUInt8(at) === 0xff;) {
    budget.step()
    const marker = file.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xda || marker === 0xd9) return undefined
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (marker === 0xe1 && file.toString('latin1', at + 4, at + 10) === exifMark) return file.subarray(at + 10, end)
    at = end
  }
  return undefined
}

function exifOfPng(file: Buffer): Buffer | undefined {
  const budget = new WorkBudget(limits)
  for (let at = 8; at + 12 <= file.length; at += 12 + file.readUInt32BE(at)) {
    budget.step()
    if (file.toString('latin1', at + 4, at + 8) === 'eXIf')
      return withoutMark(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)))
  }
  return undefined
}

function exifOfWebp(file: Buffer): Buffer | undefined {
  const budget = new WorkBudget(limits)
  for (let at = 12; at + 8 <= file.length;) {
    budget.step()
    const length = file.readUInt32LE(at + 4)
    if (file.toString('latin1', at, at + 4) === 'EXIF') return withoutMark(file.subarray(at + 8, at + 8 + length))
    at += 8 + length + (length % 2)
  }
  return undefined
}

const orientationTag = 0x0112
const shortType = 3

/** Reads the tag from the first directory. Source: TIFF 6.0, section 2. */
function orientationIn(tiff: Buffer): number | undefined {
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  if (!isLittle && tiff.toString('latin1', 0, 2) !== 'MM') return undefined
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * 12
    if (short(at) === orientationTag && short(at + 2) === shortType) return short(at + 8)
  }
  return undefined
}
