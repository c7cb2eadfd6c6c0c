import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { decoderInput, type DecoderLimits, UnknownInputError } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { DecoderError, runDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import { AttemptError } from '../../model.js'
import { frameSeconds, type VideoFacts } from './frame-plan.js'

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
      { cause: error },
    )
  }
}

const versionMemoryMb = 2048

const stream = z.object({
  codec_name: z.string().optional(),
  width: z.number(),
  height: z.number(),
  avg_frame_rate: z.string(),
  r_frame_rate: z.string().optional(),
  nb_read_packets: z.string().optional(),
  nb_read_frames: z.string().optional(),
  side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
})
const probed = z.object({
  streams: z.array(stream).min(1),
  packets: z.array(z.object({ pts_time: z.string().optional(), flags: z.string().optional() })).default([]),
  frames: z.array(z.object({ best_effort_timestamp_time: z.string().optional() })).default([]),
})

const streamFields =
  'stream=codec_name,width,height,avg_frame_rate,r_frame_rate,nb_read_packets,nb_read_frames:stream_side_data=rotation'

/**
 * Reads a video's size, frame rate, and the time of each frame. It lists packets, which is fast. `isExact` decodes the frames.
 *
 * @throws AttemptError (media) if ffmpeg cannot read it as a video, or its pictures are larger than the limit
 */
export async function videoFacts(
  path: string,
  { isExact, ...decoding }: Decoding & { readonly isExact: boolean },
): Promise<VideoFacts & { readonly codec: string }> {
  const listed = await probe(
    path,
    isExact ? ['-count_frames'] : ['-count_packets'],
    `${streamFields}:${isExact ? 'frame=best_effort_timestamp_time' : 'packet=pts_time,flags'}`,
    decoding,
  )
  const [video] = listed.streams
  if (video === undefined) throw unreadable('it has no pictures')
  refuseLarge(video, decoding.limits.pixels)
  // A discarded packet is decoded for the sake of others, and shown by no player.
  const packets = listed.packets.filter(({ flags = '' }) => !flags.includes('D')).map(({ pts_time: time }) => time)
  const times = isExact ? listed.frames.map(({ best_effort_timestamp_time: time }) => time) : packets
  const frames = times.length > 0 ? times.length : Number(video.nb_read_frames ?? video.nb_read_packets)
  // Ogg states no average rate.
  const fps = parseFrameRate(video.avg_frame_rate) ?? parseFrameRate(video.r_frame_rate)
  if (!(frames > 0) || fps === undefined) throw unreadable('its frames cannot be counted')
  const isOnItsSide = video.side_data_list?.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90) === true
  const { width, height } = isOnItsSide ? { width: video.height, height: video.width } : video
  const seconds = frameSeconds(
    times.map(time => (time === undefined ? NaN : Number(time))),
    fps,
  )
  return { frames, fps, width, height, codec: video.codec_name ?? '', ...(seconds && { seconds }) }
}

async function probe(
  path: string,
  count: readonly string[],
  entries: string,
  decoding: Decoding,
): Promise<z.output<typeof probed>> {
  const input = await chooseDecoderInput(path, decoding)
  const shown = ['-select_streams', 'v:0', ...count, '-show_entries', entries, '-of', 'json']
  const text = (await decode('ffprobe', ['-v', 'error', ...input.options, ...shown, input.path], decoding)).toString()
  const parsed = probed.safeParse(JSON.parse(text)).data
  if (parsed === undefined) throw unreadable('it has no pictures')
  return parsed
}

/** The message of ffmpeg where it decodes a picture already to read the header. */
const tooLarge = /Picture size (\d+)x(\d+) exceeds/

function refuseLarge({ width, height }: { readonly width: number; readonly height: number }, most: number): void {
  if (width * height > most)
    throw unreadable(
      `its pictures have ${width} × ${height} pixels, and at most ${most} are decoded (decode_max_pixels=…)`,
    )
}

/** Parses a frame rate, written as a fraction. `0/0` means unknown. */
function parseFrameRate(fraction = ''): number | undefined {
  const [over = 0, under = 0] = fraction.split('/').map(Number)
  return over > 0 && under > 0 ? over / under : undefined
}

/** Codecs that ffmpeg decodes on several threads with a race: a few videos in a hundred lose their last pictures. */
const racyOnThreads: ReadonlySet<string> = new Set(['theora', 'vp3'])
/** Each thread holds pictures of its own. More threads make one video faster, and several at a time no faster. */
const threads = 4

/**
 * Writes frames as PNG files into a new folder, in order.
 *
 * @param indices ascending, without duplicates
 * @returns the files. There are fewer than requested if the video has fewer frames than packets.
 */
export async function writeFrames(
  path: string,
  {
    codec,
    indices,
    width,
    height,
    folder,
    ...decoding
  }: Decoding & {
    readonly codec: string
    readonly indices: readonly number[]
    readonly width: number
    readonly height: number
    readonly folder: string
  },
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true })
  // Each frame gets a new timestamp. Otherwise ffmpeg drops and doubles frames to reach a constant rate.
  const filter = [
    `select='${indices.map(index => `eq(n,${index})`).join('+')}'`,
    'settb=1/25',
    'setpts=N',
    `scale=${width}:${height}:flags=bicubic+accurate_rnd+full_chroma_int+bitexact`,
  ].join(',')
  const input = await chooseDecoderInput(path, decoding)
  const used = ['-threads', String(racyOnThreads.has(codec) ? 1 : threads)]
  const written = ['-frames:v', String(indices.length), '-r', '25', '-pix_fmt', 'rgb24', '-fflags', '+bitexact']
  await decode(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', ...used, ...input.options, '-i', input.path, '-map', '0:v:0', '-vf', filter],
      ...[...written, '-c:v', 'png', '-f', 'image2', join(folder, '%06d.png')],
    ],
    decoding,
  )
  return (await readdir(folder)).sort().map(name => join(folder, name))
}

const unreadable = (why: string, cause?: unknown): AttemptError =>
  new AttemptError('media', `the video can't be taken apart: ${why}`, { isRetryable: false, cause })

async function chooseDecoderInput(path: string, { limits }: Decoding): ReturnType<typeof decoderInput> {
  try {
    return await decoderInput(path, limits)
  } catch (error) {
    throw error instanceof UnknownInputError ? unreadable(messageOf(error), error) : error
  }
}

/** @throws AttemptError (media) with the end of the program's error output if it fails */
async function decode(
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  { limits, signal }: Decoding,
): Promise<Buffer> {
  try {
    return await runDecoder(program, args, { memoryMb: limits.memoryMb, signal })
  } catch (error) {
    if (!(error instanceof DecoderError)) throw error
    const [, width, height] = tooLarge.exec(error.message) ?? []
    refuseLarge({ width: Number(width ?? 0), height: Number(height ?? 0) }, limits.pixels)
    throw unreadable(error.message, error)
  }
}
