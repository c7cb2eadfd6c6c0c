import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sniffMediaType } from '../../base/media-type.js'

const bytes = (text: string) => Buffer.from(text, 'latin1')

test.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['BM\0\0', 'image/bmp'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['\0\0\0\x1cftypavif', 'image/avif'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['ID3\x04\0', 'audio/mpeg'],
  ['\xff\xfb\x90\x00', 'audio/mpeg'],
  ['OggS\0\x02OpusHead', 'audio/ogg'],
  ['%PDF-1.7\n', 'application/pdf'],
  ['fLaC\0\0\0\x22', 'audio/flac'],
  ['\0\0\0\x20ftypM4A ', 'audio/mp4'],
  ['\0\0\0\x20ftypisom', 'video/mp4'],
  ['\0\0\0\x14ftypqt  ', 'video/quicktime'],
  ['\x1a\x45\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x82\x84webm', 'video/webm'],
  ['\x1a\x45\xdf\xa3\xa3B\x86\x81\x01B\xf7\x81\x01B\x82\x88matroska', 'video/x-matroska'],
])('%j is %s', (start, mime) => {
  expect(sniffMediaType(bytes(start))?.mime).toBe(mime)
})

test.each([['text'], [''], ['<svg xmlns="…">'], ['\xff\xf1\x50\x80'], ['RIFF\0\0\0\0XXXX']])(
  '%j is no medium',
  start => {
    expect(sniffMediaType(bytes(start))).toBeUndefined()
  },
)

test('a view into a larger buffer is read from its own start', () => {
  expect(sniffMediaType(bytes('xxGIF87a').subarray(2))?.format).toBe('gif')
})

test('a program is no medium', async () => {
  expect(sniffMediaType(await readFile(process.execPath))).toBeUndefined()
})
