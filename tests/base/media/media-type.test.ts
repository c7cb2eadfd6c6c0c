import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileSource } from '../../../base/media/byte-source.js'
import { sniffLength, sniffMediaType } from '../../../base/media/media-type.js'
import { isoMedia } from '../../support/iso-media.js'
import { temporaryFolder } from '../../support/store.js'

const bytes = (text: string) => Buffer.from(text, 'latin1')

/** Windows Media with streams of these types. */
function asf(...streams: readonly string[]): string {
  const rest = '\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b'
  return `\x30\x26\xb2\x75\x8e\x66\xcf\x11${'-'.repeat(200)}${streams.map(stream => stream + rest).join('-')}`
}

/** A Matroska file with tracks of these types (1 is video, 2 is audio), each written after its number. */
function matroska(name: string, ...types: readonly string[]): string {
  const element = (id: string, content: string) => `${id}${String.fromCharCode(0x80 + content.length)}${content}`
  const tracks = types.map(type => element('\xae', element('\xd7', '\x01') + element('\x83', type)))
  const header = element('\x1a\x45\xdf\xa3', element('\x42\x82', name))
  const segment = '\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff'
  return `${header}${segment}${element('\xec', '----')}${element('\x16\x54\xae\x6b', tracks.join(''))}`
}

test.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['BM\0\0', 'image/bmp'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['II+\0', 'image/tiff'],
  ['\0\0\0\x1cftypavif', 'image/avif'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['ID3\x04\0', 'audio/mpeg'],
  ['\xff\xfb\x90\x00', 'audio/mpeg'],
  ['\xff\xfd\x90\x00', 'audio/x-mp2'],
  ['RF64\xff\xff\xff\xffWAVEds64', 'audio/x-rf64'],
  ['RIFF\x10\0\0\0AVI LIST----hdrlstrh8\0\0\0auds', 'audio/x-msvideo'],
  ['RIFF\x10\0\0\0AVI LIST----hdrlstrh8\0\0\0vidsXVIDstrh8\0\0\0auds', 'video/x-msvideo'],
  ['OggS\0\x02OpusHead', 'audio/ogg'],
  ['%PDF-1.7\n', 'application/pdf'],
  ['fLaC\0\0\0\x22', 'audio/flac'],
  ['\0\0\0\x20ftypM4A ', 'audio/mp4'],
  ['\0\0\0\x20ftypisom', 'video/mp4'],
  ['\0\0\0\x14ftypqt  ', 'video/quicktime'],
  ['\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x82\x84webm', 'video/webm'],
  ['\x1a\x45\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\x82\x88matroska', 'video/x-matroska'],
  ['\xff\xf1\x50\x80', 'audio/aac'],
  ['FORM\0\0\x7d\x2eAIFFCOMM', 'audio/aiff'],
  ['FORM\0\0\x7d\x2eAIFCFVER', 'audio/aiff'],
  ['.snd\0\0\0\x20', 'audio/basic'],
  ['caff\0\x01\0\0desc', 'audio/x-caf'],
  ['#!AMR\n', 'audio/amr'],
  ['\0\0\x01\xba\x44\0', 'video/mpeg'],
  ['\0\0\x01\xb3\x04\0', 'video/mpeg'],
  ['FLV\x01\x05\0\0\0\x09', 'video/x-flv'],
  ['FLV\x01\x04\0\0\0\x09', 'audio/x-flv'],
  [`OggS\0\x02${'-'.repeat(300)}\x80theora\x03`, 'video/ogg'],
  [`G${'-'.repeat(187)}G${'-'.repeat(187)}G`, 'video/mp2t'],
  [`0000G${'-'.repeat(191)}G${'-'.repeat(191)}G`, 'video/mp2t'],
  [asf('\x40\x9e\x69\xf8\x4d'), 'audio/x-ms-wma'],
  [asf('\x40\x9e\x69\xf8\x4d', '\xc0\xef\x19\xbc\x4d'), 'video/x-ms-wmv'],
  [matroska('webm', '\x02'), 'audio/webm'],
  [matroska('matroska', '\x02', '\x02'), 'audio/x-matroska'],
  [matroska('webm', '\x02', '\x01'), 'video/webm'],
  // A truncated list of tracks does not show whether there is video.
  [matroska('webm', '\x02', '\x02').slice(0, -4), 'video/webm'],
])('detects %j as %s', (start, mime) => {
  expect(sniffMediaType(bytes(start))?.mime).toBe(mime)
})

test.each([
  ['text'],
  [''],
  ['<svg xmlns="…">'],
  ['\xff\xfe\x50\x80'],
  ['RIFF\0\0\0\0XXXX'],
  ['FORM\0\0\0\0ILBM'],
  ['GG'],
])('detects no medium in %j', start => {
  expect(sniffMediaType(bytes(start))).toBeUndefined()
})

test('reads a view into a larger buffer from the start of the view', () => {
  expect(sniffMediaType(bytes('xxGIF87a').subarray(2))?.format).toBe('gif')
})

test('detects no medium in an executable file', async () => {
  expect(sniffMediaType(await readFile(process.execPath))).toBeUndefined()
})

test.each([
  [['soun'], 'audio/mp4'],
  [['soun', 'soun', 'text'], 'audio/mp4'],
  [['soun', 'vide'], 'video/mp4'],
  [['vide'], 'video/mp4'],
  [['text'], 'video/mp4'],
] as const)('an MP4 with the tracks %j is %s, wherever its track list is', async (kinds, mime) => {
  for (const isIndexLast of [true, false]) {
    const small = isoMedia(kinds, { isIndexLast })
    expect(sniffMediaType(small)?.mime).toBe(mime)
    const large = isoMedia(kinds, { isIndexLast, samples: 2 * sniffLength })
    const path = join(await temporaryFolder(), 'large.mp4')
    await writeFile(path, large)
    await using file = await open(path)
    const head = large.subarray(0, sniffLength)
    expect(sniffMediaType(head, fileSource(file, head, large.length))?.mime).toBe(mime)
  }
  // A truncated list of tracks does not rule out video.
  expect(sniffMediaType(isoMedia(kinds).subarray(0, 500))?.mime).toBe('video/mp4')
})

/** A packet of a transport stream that holds a table. */
function tablePacket(id: number, table: number, content: readonly number[]): Buffer {
  const packet = Buffer.alloc(188, 0xff)
  const section = [table, 0xb0, content.length + 9, 0, 1, 0xc1, 0, 0, ...content, 0, 0, 0, 0]
  packet.set([0x47, 0x40 | (id >> 8), id & 0xff, 0x10, 0, ...section])
  return packet
}

test.each([
  { mime: 'audio/mp2t', streams: [[0x0f]] },
  { mime: 'audio/mp2t', streams: [[0x81], [0x06, ...Buffer.from('\x05\x04Opus')]] },
  { mime: 'video/mp2t', streams: [[0x1b], [0x0f]] },
  { mime: 'video/mp2t', streams: [[0x06]] },
  { mime: 'video/mp2t', streams: [] },
])('a transport stream is of the kind that its tables say: $streams', ({ mime, streams }) => {
  const entries = streams.flatMap(([type = 0, ...about]) => [type, 0xe1, 0, 0xf0, about.length, ...about])
  const packets = [tablePacket(0, 0, [0, 1, 0xf0, 0]), tablePacket(0x1000, 2, [0xe1, 0, 0xf0, 0, ...entries])]
  packets.push(...[1, 2].map(() => Buffer.alloc(188, 0x47)))
  expect(sniffMediaType(Buffer.concat(packets))?.mime).toBe(mime)
  const disc = packets.flatMap(packet => [Buffer.alloc(4), packet])
  expect(sniffMediaType(Buffer.concat(disc))?.mime).toBe(mime)
})

test('a text with a few letters G is not taken for a transport stream', () => {
  const text = Buffer.alloc(20_000, 'a')
  for (const at of [4, 196, 388]) text.write('G', at, 'latin1')
  expect(sniffMediaType(text)).toBeUndefined()
  for (let at = 4; at < text.length; at += 192) text.write('G', at, 'latin1')
  expect(sniffMediaType(text)?.format).toBe('ts')
})
