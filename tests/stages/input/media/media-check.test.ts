import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { isoBox, isoMedia } from '../../../support/iso-media.js'
import { bytesSource } from '../../../../base/media/byte-source.js'
import { checkMedium } from '../../../../stages/input/media/media-check.js'

const picture = () => sharp({ create: { width: 40, height: 30, channels: 3, background: { r: 200, g: 30, b: 90 } } })

test.each(['png', 'jpeg', 'gif', 'webp'] as const)('accepts a whole %s and rejects a part of it', async format => {
  const bytes = new Uint8Array(await picture().toFormat(format).toBuffer())
  expect(await checkMedium(bytes)).toMatchObject({ type: 'sound', media: { kind: 'image', format } })
  for (const share of [0.3, 0.6, 0.95])
    expect(await checkMedium(bytes.subarray(0, Math.floor(bytes.length * share)))).toMatchObject({ type: 'broken' })
})

test('detects a truncated JPEG even if it contains a whole thumbnail', async () => {
  const thumbnail = await picture().jpeg().toBuffer()
  const whole = await picture().jpeg().toBuffer()
  const length = Buffer.from([0xff, 0xe1, (thumbnail.length + 2) >> 8, (thumbnail.length + 2) & 0xff])
  const both = Buffer.concat([whole.subarray(0, 2), length, thumbnail, whole.subarray(2)])
  expect((await checkMedium(both)).type).toBe('sound')
  expect((await checkMedium(both.subarray(0, -10))).type).toBe('broken')
})

test('reports a WAV shorter than its declared size as cut short', async () => {
  const wav = Buffer.alloc(100)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(92, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  expect(await checkMedium(wav)).toMatchObject({ type: 'sound', media: { kind: 'audio' } })
  expect(await checkMedium(wav.subarray(0, 60))).toMatchObject({ type: 'broken', reason: 'the WAV audio is cut short' })
})

test('checks a file with millions of boxes quickly and accepts it', async () => {
  const boxes = Buffer.alloc(8_000_000, isoBox('free'))
  let reads = 0
  const bytes = Buffer.concat([isoBox('ftyp', 'isom', Buffer.alloc(4)), boxes])
  const source = bytesSource(bytes)
  const counting = {
    ...source,
    read: (position: number, length: number) => {
      reads++
      return source.read(position, length)
    },
  }
  expect(await checkMedium(bytes.subarray(0, 4096), counting)).toMatchObject({ type: 'sound' })
  expect(reads).toBeLessThan(100_000)
})

test.each([
  '<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1/a.png"/></svg>',
  '\uFEFF<?xml version="1.0"?>\n<!-- drawn --><!DOCTYPE svg>\n<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>',
])('rejects SVG by name: %s', async text => {
  expect(await checkMedium(Buffer.from(text))).toEqual({
    type: 'broken',
    reason: 'SVG is not drawn, because it may name other files and addresses. Store it as PNG',
  })
})

test.each([
  ['ff0a', 'JPEG XL'],
  ['0000000c4a584c200d0a870a', 'JPEG XL'],
  ['0000000c6a5020200d0a870a', 'JPEG 2000'],
  ['000001000100', 'an icon (ICO)'],
  ['50360a', 'PPM'],
  ['0b77', 'AC-3', 'it as WAV'],
  ['7776706b', 'WavPack', 'it as WAV'],
  ['0000000167', 'a bare video stream (H.264 or HEVC)', 'it as MP4'],
  ['1f8b08', 'compressed by gzip', 'the file in it'],
])('a medium of a format that is not read is refused by its name: %s', async (start, name, instead = 'it as PNG') => {
  const reason = `it is ${name}, which is not read. Store ${instead}`
  expect(await checkMedium(Buffer.from(start.padEnd(128, '0'), 'hex'))).toEqual({ type: 'broken', reason })
})

test.each([
  ['version https://git-lfs.github.com/spec/v1\noid sha256:4d7a', 'git lfs pull'],
  ['\n<!DOCTYPE html><html><body>404 Not Found', 'it is a page in HTML'],
])('a text that came in place of a file is named: %s', async (text, said) => {
  expect(await checkMedium(Buffer.from(text))).toMatchObject({ reason: expect.stringContaining(said) as string })
})

test('a PDF without pages is refused, and pages in packed objects are found', async () => {
  const pdf = (...objects: readonly (string | Buffer)[]) =>
    Buffer.concat(['%PDF-1.7\n', ...objects, '\n%%EOF'].map(part => Buffer.from(part)))
  const packed = (content: Buffer) => pdf('<</Type/ObjStm/Filter/FlateDecode>>stream\n', content, '\nendstream')
  const none = { type: 'broken', reason: 'the PDF file has no pages' }
  expect(await checkMedium(pdf())).toEqual(none)
  expect(await checkMedium(pdf('<</Type/Pages/Kids[]/Count 0>>'))).toEqual(none)
  expect(await checkMedium(packed(deflateSync('<</Type/Pages/Count 0>>')))).toEqual(none)
  for (const whole of [
    pdf('<< /Type /Page /Parent 2 0 R >>'),
    packed(deflateSync('<</Type /Page>>')),
    packed(Buffer.from('encrypted, so that nobody knows')),
  ]) {
    expect((await checkMedium(whole)).type).toBe('sound')
    expect((await checkMedium(whole.subarray(0, 20), bytesSource(whole.subarray(0, 20), whole.length))).type).toBe(
      'sound',
    )
  }
})

test('a PNG that states no width has no pixels', async () => {
  const png = await picture().png().toBuffer()
  png.writeUInt32BE(0, 16)
  expect(await checkMedium(png)).toEqual({ type: 'broken', reason: 'the PNG image has no pixels' })
})

test('rejects an empty medium and a text', async () => {
  expect(await checkMedium(new Uint8Array())).toEqual({ type: 'broken', reason: 'the medium is empty' })
  expect((await checkMedium(Buffer.from('hello, world'))).type).toBe('broken')
})

test.each(['png', 'jpeg', 'gif', 'webp'] as const)(
  'accepts a large %s of which only the beginning is in memory',
  async format => {
    const bytes = new Uint8Array(await picture().toFormat(format).toBuffer())
    const beginning = bytes.subarray(0, Math.floor(bytes.length / 2))
    expect(await checkMedium(beginning, bytesSource(beginning, bytes.length))).toMatchObject({
      type: 'sound',
      media: { format },
    })
  },
)

const stream = matroska(400, { isStream: true })

test.each([
  ['an MP4', isoMedia(['vide', 'soun']), 'MP4 video'],
  ['an MP4 with its index first', isoMedia(['vide'], { isIndexLast: false }), 'MP4 video'],
  ['a MOV', isoMedia(['vide'], { brand: 'qt  ' }), 'MOV video'],
  ['an M4A', isoMedia(['soun'], { brand: 'M4A ' }), 'M4A audio'],
  [
    'an AVIF',
    Buffer.concat([isoBox('ftyp', 'avif'), isoBox('meta', Buffer.alloc(90)), isoBox('mdat', Buffer.alloc(800))]),
    'AVIF image',
  ],
  ['Matroska', matroska(400), 'MKV video'],
  ['Matroska without a stated length', stream, 'MKV video'],
])('accepts a whole %s and reports any part of it as cut short', async (_, whole, name) => {
  expect(await checkMedium(whole)).toMatchObject({ type: 'sound' })
  expect(await checkMedium(Buffer.concat([whole, Buffer.alloc(20)]))).toMatchObject({ type: 'sound' })
  for (const share of [0.5, 0.9, 0.99]) {
    const part = whole.subarray(0, Math.floor(whole.length * share))
    expect(await checkMedium(part)).toEqual({ type: 'broken', reason: `the ${name} is cut short` })
    // The same holds if only the beginning of a large file is in memory. A stream does not state its length there.
    if (whole === stream) continue
    const beginning = part.subarray(0, 100)
    expect((await checkMedium(beginning, bytesSource(part))).type).toBe('broken')
  }
})

/** Matroska with one cluster of this many bytes. */
function matroska(bytes: number, { isStream = false } = {}): Buffer {
  const sized = (id: string, content: Buffer): Buffer => {
    const size = Buffer.alloc(8)
    size.writeBigUInt64BE(BigInt(content.length))
    size[0] = 1
    return Buffer.concat([Buffer.from(id, 'hex'), size, content])
  }
  const cluster = sized('1f43b675', Buffer.alloc(bytes))
  const header = sized('1a45dfa3', Buffer.from('4282886d6174726f736b61', 'hex'))
  const unknown = Buffer.from('1853806701ffffffffffffff', 'hex')
  return Buffer.concat([header, isStream ? Buffer.concat([unknown, cluster]) : sized('18538067', cluster)])
}

test('rejects a PNG with a wrong checksum where decoders do', async () => {
  const whole = await picture().withMetadata({ density: 300 }).png().toBuffer()
  for (const name of ['IHDR', 'pHYs', 'IDAT', 'IEND']) {
    const damaged = Buffer.from(whole)
    const at = damaged.indexOf(name, 0, 'latin1')
    const end = at + 4 + damaged.readUInt32BE(at - 4)
    damaged.writeUInt32BE((damaged.readUInt32BE(end) ^ 1) >>> 0, end)
    expect(await checkMedium(damaged)).toEqual({
      type: 'broken',
      reason: `the PNG image is damaged: the checksum of its chunk ${name} is wrong`,
    })
  }
  // A decoder already has the pixels when it reaches a comment after them.
  const comment = Buffer.concat([
    Buffer.from('00000002', 'hex'),
    Buffer.from('tEXta\0'),
    Buffer.from('deadbeef', 'hex'),
  ])
  const end = whole.length - 12
  expect((await checkMedium(Buffer.concat([whole.subarray(0, end), comment, whole.subarray(end)]))).type).toBe('sound')
})
