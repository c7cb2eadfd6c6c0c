import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sniffMediaType } from '../../../base/media/media-type.js'
import { uprightPicture } from '../../../cache/media/upright-picture.js'
import { readRgbPixels } from '../../../stages/model/backends/conversion/rgb-picture.js'
import {
  differenceOf,
  lyingPicture,
  orientations,
  type Pixels,
  pixelsOf,
  quarteredPicture,
} from '../../support/lying-pictures.js'

const upright = quarteredPicture()

test.each([
  ['jpeg', 12],
  ['png', 0],
  ['webp', 0],
  ['tiff', 0],
] as const)('turns a %s upright, in each orientation', async (format, allowed) => {
  for (const orientation of orientations) {
    const lying = await lyingPicture(upright, orientation, format)
    const turned = await uprightPicture(lying)
    if (orientation === 1) {
      expect(turned).toBeUndefined()
      continue
    }
    if (turned === undefined) throw new Error(`orientation ${orientation} is not turned`)
    expect(sniffMediaType(turned)?.format).toBe(format)
    expect((await sharp(turned).metadata()).orientation ?? 1).toBe(1)
    expect(differenceOf(await pixelsOf(turned), upright)).toBeLessThanOrEqual(allowed)
  }
})

const readPrint = (name: string): Buffer => readFileSync(new URL(`../../golden/pillow-rgb/${name}`, import.meta.url))

/** The directory entry of an orientation, in the byte order of Intel. */
function orientationEntry(orientation: number): Buffer {
  const entry = Buffer.from('120103000100000000000000', 'hex')
  entry.writeUInt16LE(orientation, 8)
  return entry
}

const lyingPrints = {
  jpeg(orientation: number): Buffer {
    const exif = Buffer.concat([
      Buffer.from('Exif\0\0II*\0\x08\0\0\0\x01\0', 'latin1'),
      orientationEntry(orientation),
      Buffer.alloc(4),
    ])
    const [head, bytes] = [Buffer.from('ffe10000', 'hex'), readPrint('print.jpg')]
    head.writeUInt16BE(exif.length + 2, 2)
    return Buffer.concat([bytes.subarray(0, 2), head, exif, bytes.subarray(2)])
  },
  /** The directory stands again at the end, with one more entry at its place. */
  tiff(orientation: number): Buffer {
    const bytes = Buffer.concat([readPrint('print.tiff')])
    const directory = bytes.readUInt32LE(4)
    const entries = Array.from({ length: bytes.readUInt16LE(directory) }, (_, index) =>
      bytes.subarray(directory + 2 + index * 12, directory + 14 + index * 12),
    ).filter(entry => entry.readUInt16LE(0) !== 0x112)
    const before = entries.filter(entry => entry.readUInt16LE(0) < 0x112)
    const all = [...before, orientationEntry(orientation), ...entries.slice(before.length)]
    const count = Buffer.from([all.length, 0])
    const copy = Buffer.concat([
      bytes,
      ...(bytes.length % 2 === 0 ? [] : [Buffer.alloc(1)]),
      count,
      ...all,
      Buffer.alloc(4),
    ])
    copy.writeUInt32LE(copy.length - (all.length * 12 + 6), 4)
    return copy
  },
} as const

const rgbOf = async (bytes: Uint8Array): Promise<Pixels> => readRgbPixels(sharp(bytes, { ignoreIcc: true }))

test.each(['jpeg', 'tiff'] as const)('keeps the four colours of print in a %s, in each orientation', async format => {
  for (const orientation of orientations.slice(1)) {
    const lying = lyingPrints[format](orientation)
    expect(await sharp(lying).metadata()).toMatchObject({ space: 'cmyk', orientation })
    const turned = await uprightPicture(lying)
    if (turned === undefined) throw new Error(`orientation ${orientation} is not turned`)
    const { space, orientation: left = 1 } = await sharp(turned).metadata()
    expect([space, left]).toEqual(['cmyk', 1])
    const expected = await readRgbPixels(sharp(lying, { ignoreIcc: true }).autoOrient())
    expect(differenceOf(await rgbOf(turned), expected)).toBeLessThanOrEqual(format === 'jpeg' ? 4 : 0)
  }
})

test('keeps the colour profile and the colour values', async () => {
  const lying = await lyingPicture(upright, 3, 'png')
  const profiled = await sharp(lying).withIccProfile('p3', { attach: true }).withExifMerge({}).png().toBuffer()
  const turned = await uprightPicture(
    await sharp(profiled).keepIccProfile().withMetadata({ orientation: 3 }).png().toBuffer(),
  )
  expect((await sharp(turned).metadata()).icc).toBeDefined()
})

test('reports a damaged picture without messages of the decoder', async () => {
  const lying = await lyingPicture(upright, 6, 'jpeg')
  const error: unknown = await uprightPicture(lying.subarray(0, 500)).catch((reason: unknown) => reason)
  expect(error).toEqual(new Error('it cannot be decoded to be turned upright'))
})
