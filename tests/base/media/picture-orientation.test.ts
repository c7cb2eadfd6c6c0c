import sharp from 'sharp'
import { expect, test } from 'vitest'
import { pictureOrientation } from '../../../base/media/picture-orientation.js'
import { lyingPicture, orientations, quarteredPicture } from '../../support/lying-pictures.js'

test.each(['jpeg', 'png', 'webp', 'tiff'] as const)('reads the same orientation of %s as libvips', async format => {
  for (const orientation of orientations) {
    const bytes = await lyingPicture(quarteredPicture(), orientation, format)
    expect((await sharp(bytes).metadata()).orientation).toBe(orientation)
    expect(pictureOrientation(bytes)).toBe(orientation)
  }
})

test('pictures without metadata, with damaged metadata and other files count as upright', async () => {
  const jpeg = await lyingPicture(quarteredPicture(), 6, 'jpeg')
  const plain = await sharp(jpeg).jpeg().toBuffer()
  expect(pictureOrientation(plain)).toBe(1)
  const png = await lyingPicture(quarteredPicture(), 6, 'png')
  for (const bytes of [jpeg, png])
    for (let length = 0; length < bytes.length; length += 1)
      expect([1, 6]).toContain(pictureOrientation(bytes.subarray(0, length)))
  expect(pictureOrientation(Buffer.from('no picture'))).toBe(1)
  const unknown = Buffer.from(jpeg)
  unknown[unknown.indexOf(Buffer.from([0x01, 0x12, 0, 3])) + 9] = 9
  expect(pictureOrientation(unknown)).toBe(1)
})
