import sharp from 'sharp'
import { expect, test } from 'vitest'
import { checkMedium } from '../../../../stages/input/media/media-check.js'

const picture = () => sharp({ create: { width: 40, height: 30, channels: 3, background: { r: 200, g: 30, b: 90 } } })

test.each(['png', 'jpeg', 'gif', 'webp'] as const)('a whole %s is sound, and a part of it is not', async format => {
  const bytes = new Uint8Array(await picture().toFormat(format).toBuffer())
  expect(checkMedium(bytes)).toMatchObject({ type: 'sound', media: { kind: 'image', format } })
  for (const share of [0.3, 0.6, 0.95])
    expect(checkMedium(bytes.subarray(0, Math.floor(bytes.length * share)))).toMatchObject({ type: 'broken' })
})

test('a JPEG with a whole thumbnail in it is still seen to be cut short', async () => {
  const thumbnail = await picture().jpeg().toBuffer()
  const whole = await picture().jpeg().toBuffer()
  const length = Buffer.from([0xff, 0xe1, (thumbnail.length + 2) >> 8, (thumbnail.length + 2) & 0xff])
  const both = Buffer.concat([whole.subarray(0, 2), length, thumbnail, whole.subarray(2)])
  expect(checkMedium(both).type).toBe('sound')
  expect(checkMedium(both.subarray(0, -10)).type).toBe('broken')
})

test('a WAV that declares more than it holds is cut short', () => {
  const wav = Buffer.alloc(100)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(92, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  expect(checkMedium(wav)).toMatchObject({ type: 'sound', media: { kind: 'audio' } })
  expect(checkMedium(wav.subarray(0, 60))).toMatchObject({ type: 'broken', reason: 'the WAV audio is cut short' })
})

test('nothing and text are no media', () => {
  expect(checkMedium(new Uint8Array())).toEqual({ type: 'broken', reason: 'the medium is empty' })
  expect(checkMedium(Buffer.from('hello, world')).type).toBe('broken')
})

test.each(['png', 'jpeg', 'gif', 'webp'] as const)(
  'the beginning of a large %s says nothing against it',
  async format => {
    const bytes = new Uint8Array(await picture().toFormat(format).toBuffer())
    const beginning = bytes.subarray(0, Math.floor(bytes.length / 2))
    expect(checkMedium(beginning, bytes.length)).toMatchObject({ type: 'sound', media: { format } })
  },
)
