import { crc32, deflateSync } from 'node:zlib'

/** Stands for an image in golden rows: width, height, mode. */
interface ImageMark {
  readonly $image: readonly [number, number, string]
}

/** Stands for audio in golden rows: samples, and samples per second. */
interface AudioMark {
  readonly $audio: readonly [number, number]
}

const isImage = (value: object): value is ImageMark => '$image' in value
const isAudio = (value: object): value is AudioMark => '$audio' in value

/** Replaces the marks in a golden value by real files: grey images, silent audio. */
export function withMedia(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMedia)
  if (typeof value !== 'object' || value === null) return value
  if (isImage(value)) return { bytes: png(value.$image[0], value.$image[1], value.$image[2]), path: null }
  if (isAudio(value)) return { bytes: wav(value.$audio[0], value.$audio[1]), path: null }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withMedia(item)]))
}

/**
 * Describes a medium as text: `image 16x12`, `audio 160 at 16000`, or the path of a file. An image's mode is left out, because its bytes are sent
 * unchanged. Relative paths are searched in `$HF_HOME`.
 */
export function mediumText(medium: unknown): string {
  if (typeof medium === 'string') return medium.replace(/^\$HF_HOME\//, '')
  if (typeof medium !== 'object' || medium === null) return String(medium)
  if (isImage(medium)) return `image ${medium.$image[0]}x${medium.$image[1]}`
  if (isAudio(medium)) return `audio ${medium.$audio[0]} at ${medium.$audio[1]}`
  if ('medium' in medium) return mediumText(medium.medium)
  const { bytes, path } = medium as { readonly bytes?: Uint8Array | null; readonly path?: string | null }
  const data = medium instanceof Uint8Array ? medium : bytes
  if (data === undefined || data === null) return mediumText(path ?? 'nothing')
  const view = Buffer.from(data)
  if (view.toString('latin1', 0, 4) === 'RIFF') return `audio ${(view.length - 44) / 2} at ${view.readUInt32LE(24)}`
  return `image ${view.readUInt32BE(16)}x${view.readUInt32BE(20)}`
}

const colours: Readonly<Record<string, readonly [type: number, channels: number]>> = {
  L: [0, 1],
  RGB: [2, 3],
  LA: [4, 2],
  RGBA: [6, 4],
}

function png(width: number, height: number, mode: string): Uint8Array {
  const [type, channels] = colours[mode] ?? [2, 3]
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, type, 0, 0, 0], 8)
  const rows = Buffer.alloc(height * (1 + width * channels), 0x7f)
  for (let row = 0; row < height; row += 1) rows[row * (1 + width * channels)] = 0
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

function wav(samples: number, rate: number): Uint8Array {
  const bytes = Buffer.alloc(44 + samples * 2)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(36 + samples * 2, 4)
  bytes.write('WAVEfmt ', 8, 'latin1')
  bytes.writeUInt32LE(16, 16)
  bytes.set([1, 0, 1, 0], 20)
  bytes.writeUInt32LE(rate, 24)
  bytes.writeUInt32LE(rate * 2, 28)
  bytes.set([2, 0, 16, 0], 32)
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(samples * 2, 40)
  return bytes
}
