import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { decoderInput, type DecoderLimits, UnknownInputError } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { DecoderError, runDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import { AttemptError } from '../../model.js'

/** The limits for reading one video, and the signal that aborts it. */
export interface Decoding {
  readonly limits: Pick<DecoderLimits, 'memoryMb' | 'pixels'>
  readonly signal: AbortSignal
}

/** @throws PipelineError if ffmpeg or ffprobe is not installed */
export async function requireFfmpeg(why: string): Promise<void> {
  try {
    for (const program of ['ffprobe', 'ffmpeg'] as const)
      await runDecoder(program, ['-version'], { memoryMb: versionMemoryMb, signal: new AbortController().signal })
  } catch (error) {
    if (!(error instanceof DecoderError) || error.reason !== 'missing') throw error
    throw new PipelineError(
      'config',
      `${why}, which ffmpeg does, and it is not installed here. Install it (apt-get install ffmpeg), or send videos as they are: without nframes, fps and message_format=qwen3_vl.`,
      { reason: 'lacking-here', cause: error },
    )
  }
}

const versionMemoryMb = 2048

/** The message of ffmpeg where it decodes a picture already to read the header. */
const tooLarge = /Picture size (\d+)x(\d+) exceeds/

/** @throws AttemptError (media) if a picture has more pixels than the limit */
export function refuseLarge(
  { width, height }: { readonly width: number; readonly height: number },
  most: number,
): void {
  if (width * height > most)
    throw unreadable(
      `its pictures have ${width} × ${height} pixels, and at most ${most} are decoded (decode_max_pixels=…)`,
    )
}

/** Codecs that ffmpeg decodes on several threads with a race: a few videos in a hundred lose their last pictures. */
const racyOnThreads: ReadonlySet<string> = new Set(['theora', 'vp3'])
/** Each thread holds pictures of its own. More threads make one video faster, and several at a time no faster. */
const threads = 4

/** Frames to write as PNG files into a new folder, in order. */
export interface FrameFiles extends Decoding {
  readonly codec: string
  /** Ascending, without duplicates. */
  readonly indices: readonly number[]
  /** The number of decoded frames before the first one that is counted. @default 0 */
  readonly skipped?: number
  readonly width: number
  readonly height: number
  readonly folder: string
}

/**
 * Decodes a video from its start and writes frames as PNG files.
 *
 * @returns the files. There are fewer than requested if the video has fewer frames than packets.
 */
export async function writeFrames(
  path: string,
  { codec, indices, skipped = 0, width, height, folder, ...decoding }: FrameFiles,
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true })
  const input = await chooseDecoderInput(path, decoding)
  const used = ['-threads', String(racyOnThreads.has(codec) ? 1 : threads)]
  const chosen = chooseExpression(
    'n',
    indices.map(index => index + skipped),
  )
  const output = pictureOutput(chosen, { width, height, count: indices.length })
  await decode(
    'ffmpeg',
    [
      ...[
        '-nostdin',
        '-v',
        'error',
        ...used,
        ...input.options,
        ...oneFilter,
        '-i',
        input.path,
        '-map',
        '0:V:0',
        ...output,
      ],
      join(folder, '%06d.png'),
    ],
    decoding,
  )
  return (await readdir(folder)).sort().map(name => join(folder, name))
}

/** ffmpeg's parser nests one level for each term of a sum, and takes 100 levels with those of the tree. */
const mostTerms = 64

/**
 * Returns the expression of ffmpeg that is 1 for these values of a variable. It is a tree, so that neither its depth nor the work for a frame grows
 * with the number of values.
 *
 * @param values ascending
 */
export function chooseExpression(variable: 'n' | 'pts', values: readonly number[]): string {
  const middle = values.length >> 1
  const first = values[middle]
  if (values.length <= mostTerms || first === undefined)
    return values.map(value => `eq(${variable},${value})`).join('+')
  const [before, after] = [values.slice(0, middle), values.slice(middle)]
  return `if(lt(${variable},${first}),${chooseExpression(variable, before)},${chooseExpression(variable, after)})`
}

/**
 * Input arguments that keep one filter for the whole video. If its pictures change their size or orientation on the way, ffmpeg makes a new filter, which
 * counts frames from 0 again.
 */
export const oneFilter = ['-reinit_filter', '0'] as const

/** The arguments of ffmpeg that write the chosen pictures of a stream, before the name of the files. */
export function pictureOutput(
  chosen: string,
  { width, height, count }: { readonly width: number; readonly height: number; readonly count: number },
): readonly string[] {
  // Each frame gets a new timestamp. Otherwise ffmpeg drops and doubles frames to reach a constant rate.
  const filter = [
    `select='${chosen}'`,
    'settb=1/25',
    'setpts=N',
    `scale=${width}:${height}:flags=bicubic+accurate_rnd+full_chroma_int+bitexact`,
  ].join(',')
  const outputOptions = ['-frames:v', String(count), '-r', '25', '-pix_fmt', 'rgb24', '-fflags', '+bitexact']
  return ['-vf', filter, ...outputOptions, '-c:v', 'png', '-f', 'image2']
}

/** The failure of a video that cannot be read. */
export const unreadable = (why: string, cause?: unknown): AttemptError =>
  new AttemptError('media', `the video can't be taken apart: ${why}`, { isRetryable: false, cause })

/** @throws AttemptError (media) if the file is no video */
export async function chooseDecoderInput(path: string, { limits }: Decoding): ReturnType<typeof decoderInput> {
  try {
    return await decoderInput(path, limits)
  } catch (error) {
    throw error instanceof UnknownInputError ? unreadable(messageOf(error), error) : error
  }
}

/** @throws AttemptError (media) with the end of the program's error output if it fails */
export async function decode(
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { limits, signal, ...reading }: Decoding & Pick<Parameters<typeof runDecoder>[2], 'isStrict' | 'onLine'>,
): Promise<Buffer> {
  try {
    return await runDecoder(program, args, { memoryMb: limits.memoryMb, signal, ...reading })
  } catch (error) {
    if (!(error instanceof DecoderError)) throw error
    const [, width, height] = tooLarge.exec(error.message) ?? []
    refuseLarge({ width: Number(width ?? 0), height: Number(height ?? 0) }, limits.pixels)
    throw unreadable(error.message, error)
  }
}
