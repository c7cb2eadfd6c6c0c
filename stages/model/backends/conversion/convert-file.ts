import { resolve, join } from 'node:path'
import { messageOf } from '../../../../base/errors/errors.js'
import { open, stat, writeFile } from 'node:fs/promises'
import type { MediaType } from '../../../../base/media/media-type.js'
import { pictureHeadLength, pictureSize } from '../../../../base/media/picture-size.js'
import { decoderInput, defaultLimits } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { DecoderError, runDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import { convertHeic } from './heic-picture.js'
import { mostPixels, writeRgbPicture } from './rgb-picture.js'

export interface FileConversion {
  readonly type: MediaType
  /** `rgb` is a PNG of the pixels that Pillow's `convert('RGB')` gives. */
  readonly to: 'png' | 'rgb' | 'wav'
  readonly folder: string
  readonly signal: AbortSignal
  /** The maximum size of a WAV file. @default 512 MB, 50 minutes of stereo at 44.1 kHz */
  readonly mostBytes?: number
}

const mostWaveBytes = 512 * 2 ** 20

/**
 * Writes a picture as PNG, of 8 bits a colour in sRGB and of the first page, with its transparency; or a sound as WAV of 16 bits, with its
 * rate and channels. As `rgb`, a picture is in RGB without transparency.
 *
 * @returns the new file
 * @throws Error with the reason if it cannot be decoded, or a sound is too long
 */
export async function convertFile(
  path: string,
  { type, to, folder, signal, mostBytes = mostWaveBytes }: FileConversion,
): Promise<string> {
  const file = join(folder, to === 'wav' ? 'converted.wav' : 'converted.png')
  const within = AbortSignal.any([signal, AbortSignal.timeout(defaultLimits.seconds * 1000)])
  if (to === 'wav') await convertSound(path, file, { signal: within, mostBytes })
  // The library for pictures reads neither BMP nor HEIC.
  else if (type.format === 'bmp') await convertBitmap(path, file, within)
  else if (type.format === 'heic')
    await convertHeic(path, { file, folder, run: args => runFfmpeg(args, within, { isStrict: true }) })
  else await convertPicture(path, file, { type, to })
  return file
}

async function convertPicture(
  path: string,
  file: string,
  { type: { format }, to }: Pick<FileConversion, 'type' | 'to'>,
): Promise<void> {
  if (to === 'png' && (await hasUnboundedValues(path)))
    throw new Error(
      'its values are numbers for which no white is known (32 bits or more). Store it as PNG of 8 or 16 bits',
    )
  try {
    await writeFile(file, await (to === 'rgb' ? writeRgbPicture(path, format) : writePicture(path)))
  } catch (error) {
    // The decoder mixes the reasons of several pictures, so its message may be that of another.
    const size = await describeSize(path)
    throw new Error(size ?? (isTooLarge(error) ? tooLarge : unreadForm), {
      cause: error,
    })
  }
}

/** The library's own words. They are about this picture. */
const isTooLarge = (error: unknown): boolean => messageOf(error).startsWith('Input image exceeds pixel limit')
const unreadForm = 'it is damaged, or of a form that is not read, such as LAB colours. Store it as PNG in RGB'
const tooLarge = `it has more than ${mostPixels} pixels`

/** Says how large a picture is, if it has more pixels than are decoded. */
async function describeSize(path: string): Promise<string | undefined> {
  const { width = 0, height = 0 } = pictureSize(await readBeginning(path)) ?? {}
  return width * height > mostPixels
    ? `it has ${width} × ${height} pixels, and at most ${mostPixels} are decoded`
    : undefined
}

async function readBeginning(path: string): Promise<Buffer> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(pictureHeadLength), 0, pictureHeadLength, 0)
  return buffer.subarray(0, bytesRead)
}

/** Such pictures of measurements would come out white or black. Their depth is `float`, `int`, `uint`, `double` or `complex`. */
async function hasUnboundedValues(path: string): Promise<boolean> {
  const { default: sharp } = await import('sharp')
  // A picture whose head can't be read is decoded next, which fails with the reason.
  const { depth } = await sharp(path, { limitInputPixels: mostPixels })
    .metadata()
    .catch(() => ({ depth: 'uchar' }))
  return !['uchar', 'char', 'ushort', 'short'].includes(depth)
}

async function writePicture(path: string): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const picture = sharp(path, { failOn: 'error', limitInputPixels: mostPixels, pages: 1 })
  return picture.toColourspace('srgb').png().toBuffer()
}

const convertBitmap = (path: string, file: string, signal: AbortSignal): Promise<void> =>
  runFfmpeg(
    [
      ...['-max_pixels', String(mostPixels), '-protocol_whitelist', 'file', '-format_whitelist', 'bmp_pipe'],
      ...[
        '-f',
        'bmp_pipe',
        '-i',
        resolve(path),
        '-frames:v',
        '1',
        '-pix_fmt',
        'rgb24',
        '-c:v',
        'png',
        '-f',
        'image2',
        file,
      ],
    ],
    signal,
  )

async function convertSound(
  path: string,
  file: string,
  { signal, mostBytes }: Required<Pick<FileConversion, 'signal' | 'mostBytes'>>,
): Promise<void> {
  const input = await decoderInput(path, defaultLimits)
  const exact = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags:a', '+bitexact']
  await runFfmpeg(
    [
      ...[...input.options, '-i', input.path, '-map', '0:a:0', ...exact, '-c:a', 'pcm_s16le'],
      ...['-fs', String(mostBytes + 1), '-f', 'wav', file],
    ],
    signal,
  )
  // The file ends at the limit, with the packet that passes it.
  if ((await stat(file)).size > mostBytes)
    throw new Error(
      `it has more than ${mostBytes / 2 ** 20} MB as WAV, which no API takes. Shorten it, or send it as it is: media=original`,
    )
}

async function runFfmpeg(
  args: readonly string[],
  signal: AbortSignal,
  reading: { readonly isStrict?: boolean } = {},
): Promise<void> {
  const { memoryMb } = defaultLimits
  try {
    await runDecoder('ffmpeg', ['-nostdin', '-v', 'error', ...args], { memoryMb, signal, ...reading })
  } catch (error) {
    if (!(error instanceof DecoderError) || error.reason !== 'missing') throw error
    throw new Error('it needs ffmpeg, which is not installed here (apt-get install ffmpeg)', { cause: error })
  }
}
