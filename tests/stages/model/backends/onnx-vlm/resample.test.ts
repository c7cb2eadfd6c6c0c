import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodePicture } from '../../../../../stages/model/backends/onnx-vlm/picture.js'
import { resizeBilinear, type RgbPicture } from '../../../../../stages/model/backends/onnx-vlm/resample.js'
import { hexDigest } from './tinyvlm.js'

// Golden: tests/golden/pillow/README.md
const pillow = new URL('../../../../golden/pillow/', import.meta.url)
const cases = JSON.parse(readFileSync(new URL('cases.json', pillow), 'utf8')) as {
  readonly resized: readonly { readonly size: readonly [number, number]; readonly sha256: string }[]
}

const side = fc.integer({ min: 1, max: 40 })

const picture: fc.Arbitrary<RgbPicture> = fc.tuple(side, side).chain(([width, height]) => {
  const length = width * height * 3
  return fc
    .uint8Array({ min: 50, max: 200, minLength: length, maxLength: length })
    .map(bytes => ({ width, height, bytes }))
})

test.each(cases.resized)('a picture resized to $size has the same bytes as in Pillow', async ({ size, sha256 }) => {
  const original = await decodePicture(readFileSync(new URL('rgb.png', pillow)), 'rgb.png')
  expect(hexDigest(resizeBilinear(original, ...size).bytes)).toBe(sha256)
})

test('a picture of one colour keeps it at any size', () => {
  const colour = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  fc.assert(
    fc.property(side, side, side, side, colour, (width, height, toWidth, toHeight, rgb) => {
      const bytes = Uint8Array.from({ length: width * height * 3 }, (_, i) => rgb[i % 3]!)
      const resized = resizeBilinear({ width, height, bytes }, toWidth, toHeight)
      expect(resized.bytes).toEqual(Uint8Array.from({ length: toWidth * toHeight * 3 }, (_, i) => rgb[i % 3]!))
    }),
  )
})

test('a picture that already has the size stays unchanged', () => {
  fc.assert(
    fc.property(picture, original => {
      expect(resizeBilinear(original, original.width, original.height)).toEqual(original)
    }),
  )
})

test('every byte stays within the range of the picture', () => {
  fc.assert(
    fc.property(picture, side, side, (original, width, height) => {
      const resized = resizeBilinear(original, width, height)
      const [least, most] = [Math.min(...original.bytes), Math.max(...original.bytes)]
      expect(resized.bytes).toHaveLength(width * height * 3)
      expect(resized.bytes.every(byte => byte >= least && byte <= most)).toBe(true)
    }),
  )
})
