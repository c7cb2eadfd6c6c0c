import { spawn } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { AttemptError } from '../../model.js'
import type { VideoFacts } from './frame-plan.js'

/** The maximum length of a program's error output that is kept. */
const mostTrouble = 4_000

/** @throws PipelineError if ffmpeg or ffprobe is not installed */
export async function requireFfmpeg(why: string): Promise<void> {
  try {
    for (const program of ['ffprobe', 'ffmpeg'])
      await output(program, ['-version'], { signal: new AbortController().signal })
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new PipelineError(
      'config',
      `${why}, which ffmpeg does, and it is not installed here. Install it (apt-get install ffmpeg), or send videos as they are: without nframes, fps and message_format=qwen3_vl.`,
      { cause: error },
    )
  }
}

const streams = z.object({
  streams: z
    .array(
      z.object({
        codec_name: z.string().optional(),
        width: z.number(),
        height: z.number(),
        avg_frame_rate: z.string(),
        r_frame_rate: z.string().optional(),
        nb_read_packets: z.string().optional(),
        nb_read_frames: z.string().optional(),
        side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
      }),
    )
    .min(1),
})

/**
 * Reads a video's size, length and frame rate. It counts packets, which is fast. `isExact` decodes and counts the
 * frames.
 *
 * @throws AttemptError (media) if ffmpeg cannot read it as a video
 */
export async function videoFacts(
  path: string,
  { signal, isExact }: { readonly signal: AbortSignal; readonly isExact: boolean },
): Promise<VideoFacts & { readonly codec: string }> {
  const entries =
    'stream=codec_name,width,height,avg_frame_rate,r_frame_rate,nb_read_packets,nb_read_frames:stream_side_data=rotation'
  const count = isExact ? '-count_frames' : '-count_packets'
  const text = await output(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v:0', count, '-show_entries', entries, '-of', 'json', path],
    { signal },
  )
  const [video] = streams.safeParse(JSON.parse(text)).data?.streams ?? []
  if (video === undefined) throw unreadable('it has no pictures')
  // Ogg states no average rate.
  const fps = rateOf(video.avg_frame_rate) ?? rateOf(video.r_frame_rate)
  const frames = Number(video.nb_read_frames ?? video.nb_read_packets)
  if (!(frames > 0) || fps === undefined) throw unreadable('its frames cannot be counted')
  const isOnItsSide = video.side_data_list?.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90) === true
  const { width, height } = isOnItsSide ? { width: video.height, height: video.width } : video
  return { frames, fps, width, height, codec: video.codec_name ?? '' }
}

/** Parses a frame rate, written as a fraction. `0/0` means unknown. */
function rateOf(fraction = ''): number | undefined {
  const [over = 0, under = 0] = fraction.split('/').map(Number)
  return over > 0 && under > 0 ? over / under : undefined
}

/** Codecs that ffmpeg decodes on several threads with a race: a few videos in a hundred lose their last pictures. */
const racyOnThreads: ReadonlySet<string> = new Set(['theora', 'vp3'])

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
    signal,
  }: {
    readonly codec: string
    readonly indices: readonly number[]
    readonly width: number
    readonly height: number
    readonly folder: string
    readonly signal: AbortSignal
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
  const threads = racyOnThreads.has(codec) ? ['-threads', '1'] : []
  const written = ['-frames:v', String(indices.length), '-r', '25', '-pix_fmt', 'rgb24', '-fflags', '+bitexact']
  await output(
    'ffmpeg',
    [
      ...['-nostdin', '-v', 'error', ...threads, '-i', path, '-map', '0:v:0', '-vf', filter],
      ...[...written, '-c:v', 'png', '-f', 'image2', join(folder, '%06d.png')],
    ],
    { signal },
  )
  return (await readdir(folder)).sort().map(name => join(folder, name))
}

const unreadable = (why: string, cause?: unknown): AttemptError =>
  new AttemptError('media', `the video can't be taken apart: ${why}`, { isRetryable: false, cause })

/**
 * Returns a program's output.
 *
 * @throws AttemptError (media) with the end of its error output if it fails. The error of `spawn` if it is not
 *   installed.
 */
async function output(
  program: string,
  args: readonly string[],
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], signal })
  const said: Buffer[] = []
  let trouble = ''
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (trouble = (trouble + chunk).slice(-mostTrouble)))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return Buffer.concat(said).toString('utf8')
  throw unreadable(`${program}: ${trouble.trim().split('\n').at(-1) ?? `exit code ${code}`}`)
}
