import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sniffLength, sniffMediaType, type MediaType } from '../../media/media-type.js'

/** The limits of one run of ffmpeg or ffprobe. */
export interface DecoderLimits {
  readonly seconds: number
  readonly memoryMb: number
  /** The maximum number of pixels of one picture of a video. */
  readonly pixels: number
}

export const defaultLimits: DecoderLimits = { seconds: 600, memoryMb: 2048, pixels: 36_000_000 }

/**
 * The demuxer for each format that the first bytes of a file show. ffmpeg guesses by other rules, and some of its demuxers
 * (playlists, manifests, numbered files) open further files and addresses that the file names.
 */
const demuxers: Readonly<Record<string, string>> = {
  mp4: 'mov',
  mov: 'mov',
  m4a: 'mov',
  mkv: 'matroska',
  webm: 'matroska',
  ts: 'mpegts',
  avi: 'avi',
  flv: 'flv',
  wmv: 'asf',
  wma: 'asf',
  ogg: 'ogg',
  mpeg: 'mpeg',
  wav: 'wav',
  rf64: 'wav',
  mp3: 'mp3',
  mp2: 'mp3',
  flac: 'flac',
  aac: 'aac',
  aiff: 'aiff',
  caf: 'caf',
  amr: 'amr',
  au: 'au',
}

/** A file that ffmpeg or ffprobe reads. */
export interface DecoderInput {
  /** The name of the demuxer, or several names. */
  readonly demuxer: string
  /** The arguments before `-i`. */
  readonly options: readonly string[]
  readonly path: string
}

/** The file has no type that ffmpeg is given. */
export class UnknownInputError extends Error {
  override readonly name = 'UnknownInputError'
}

/**
 * Returns the arguments that make ffmpeg or ffprobe read one file and nothing else: the demuxer of the type that its bytes show,
 * and no protocol but local files. They end before `-i`.
 *
 * @throws UnknownInputError if the file is neither audio nor video
 */
export async function decoderInput(
  path: string,
  { pixels, memoryMb }: Pick<DecoderLimits, 'pixels' | 'memoryMb'>,
): Promise<DecoderInput> {
  const head = await readHead(path)
  const type = sniffMediaType(head)
  const demuxer = type && chooseDemuxer(type, head)
  if (demuxer === undefined)
    throw new UnknownInputError(
      type === undefined ? 'it has no format that is known as video or audio' : `it is ${type.format.toUpperCase()}`,
    )
  return {
    demuxer,
    options: [
      ...['-max_alloc', String(memoryMb * 2 ** 20), '-max_pixels', String(pixels)],
      ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer],
      // A QuickTime file may name other files that hold its samples.
      ...(demuxer === 'mov' ? ['-enable_drefs', '0', '-use_absolute_path', '0'] : []),
      // Tags of version ID3 precede sound of several formats. Of those, ffmpeg finds the right one, and no other is allowed.
      ...(demuxer === taggedSound ? [] : ['-f', demuxer]),
    ],
    // An absolute path is never read as an address, whatever colons it has.
    path: resolve(path),
  }
}

const taggedSound = 'mp3,aac,flac'

function chooseDemuxer({ kind, format }: MediaType, head: Buffer): string | undefined {
  if (kind !== 'video' && kind !== 'audio') return undefined
  if (format === 'mpeg' && head[3] === 0xb3) return 'mpegvideo'
  if (format === 'mp3' && head.toString('latin1', 0, 3) === 'ID3') return taggedSound
  return demuxers[format]
}

async function readHead(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffLength), 0, sniffLength, 0)
  return buffer.subarray(0, bytesRead)
}
