import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sniffMediaType } from '../../../base/media/media-type.js'
import { uprightPicture } from '../../../cache/media/upright-picture.js'
import { differenceOf, lyingPicture, orientations, pixelsOf, quarteredPicture } from '../../support/lying-pictures.js'

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
