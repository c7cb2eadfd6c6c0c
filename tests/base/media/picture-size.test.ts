import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pictureSize } from '../../../base/media/picture-size.js'

const picture = sharp({ create: { width: 301, height: 97, channels: 3, background: 'red' } })

test.each([
  ['png', () => picture.clone().png()],
  ['jpeg', () => picture.clone().jpeg()],
  ['progressive jpeg with a profile', () => picture.clone().withIccProfile('srgb').jpeg({ progressive: true })],
  ['gif', () => picture.clone().gif()],
  ['webp', () => picture.clone().webp()],
  ['lossless webp', () => picture.clone().webp({ lossless: true })],
  ['webp with a profile', () => picture.clone().withIccProfile('srgb').webp()],
])('reads the size of a %s from its first bytes', async (_, encode) => {
  const bytes = await encode().toBuffer()
  expect(pictureSize(bytes)).toEqual({ width: 301, height: 97 })
})

test('reads the size of a bitmap, whether its rows run upwards or downwards', () => {
  const head = Buffer.alloc(54)
  head.write('BM')
  head.writeInt32LE(640, 18)
  head.writeInt32LE(-480, 22)
  expect(pictureSize(head)).toEqual({ width: 640, height: 480 })
})

test('returns no size for a truncated picture or another file', async () => {
  const jpeg = await picture.clone().jpeg().toBuffer()
  expect(pictureSize(jpeg.subarray(0, 40))).toBeUndefined()
  expect(pictureSize(Buffer.from('\x89PNG'))).toBeUndefined()
  expect(pictureSize(Buffer.from('%PDF-1.7'))).toBeUndefined()
  expect(pictureSize(Buffer.alloc(0))).toBeUndefined()
})
