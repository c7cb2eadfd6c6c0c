import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { decoderTrouble } from '../../../base/media/decoder-trouble.js'

const reasonOf = (picture: Promise<unknown>): Promise<string> =>
  picture.then(
    () => 'it can be decoded',
    (error: unknown) => decoderTrouble(error),
  )

test('leaves out messages of libvips, which may be about another picture', async () => {
  const source = sharp(randomBytes(64 * 64 * 3), { raw: { width: 64, height: 64, channels: 3 } })
  for (const format of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
    const whole = await source.clone()[format]().toBuffer()
    for (const length of [20, 100, Math.floor(whole.length / 2)]) {
      const reason = await reasonOf(sharp(whole.subarray(0, length), { failOn: 'error' }).raw().toBuffer())
      expect(reason).toMatch(
        /^(it is damaged or cut short|Input buffer (has corrupt header|contains unsupported image format))$/,
      )
    }
  }
})

test('keeps messages of sharp and of tasks', async () => {
  const large = await sharp({ create: { width: 50, height: 50, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  expect(await reasonOf(sharp(large, { limitInputPixels: 100 }).raw().toBuffer())).toBe(
    'Input image exceeds pixel limit',
  )
  expect(decoderTrouble(new Error('the box lies outside of the picture: 3, 4'))).toBe(
    'the box lies outside of the picture: 3, 4',
  )
})
