/** Frames of videos: the times of those that a model was sent, and a picture of one. */
import { spawn } from 'node:child_process'
import { z } from 'zod'
import { messageOf, systemCode } from '../../../../base/errors/errors.js'
import type { Store } from '../../../../cache/store.js'
import { derivedName } from '../../../evaluation/derived-media.js'
import { videoFacts } from '../../../../stages/model/backends/frames/ffmpeg.js'
import { frameIndices } from '../../../../stages/model/backends/frames/frame-plan.js'
import { RefusedError } from '../../http/problems.js'
import type { MediaFile } from './media-file.js'

const count = z.number().int().min(1).max(100_000_000)
const rules = z.object({
  nframes: count,
  fps: z.number().positive().optional(),
  max_frames: count,
  min_pixels: count,
  max_pixels: count,
  factor: count,
})

/** What was made of a video before it was sent. Without `frames`, it was sent whole. */
export const derivation = z.object({
  start: z.number().optional(),
  end: z.number().optional(),
  frames: rules.optional(),
})

/** The time that one video may take, in milliseconds. */
const mostMs = 20_000
/** The largest picture that is read, in bytes. */
const mostBytes = 4 * 1024 * 1024

/** @returns seconds from the video's start. @throws RefusedError */
export async function frameTimes(
  store: Pick<Store, 'values'>,
  medium: MediaFile,
  { start, end, frames }: z.output<typeof derivation>,
): Promise<readonly number[]> {
  isVideo(medium)
  if (frames === undefined) return []
  const clip = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  // What was computed when the video was sent is exact. A store that was imported may lack it.
  const stored = kept.safeParse(await store.values.get(derivedName(medium.digest, { frames: { ...frames, ...clip } })))
  if (stored.success) return stored.data.about.seconds
  try {
    const video = await videoFacts(medium.path, { signal: AbortSignal.timeout(mostMs), isExact: false })
    return frameIndices(video, frames, clip).map(index => index / video.fps)
  } catch (error) {
    throw refused(error)
  }
}

const kept = z.object({ about: z.object({ seconds: z.array(z.number()) }) })

/** The picture of a video at a time, as WebP or JPEG. @throws RefusedError */
export async function framePicture(
  medium: MediaFile,
  { seconds, width }: { readonly seconds: number; readonly width: number },
): Promise<Uint8Array<ArrayBuffer>> {
  isVideo(medium)
  const signal = AbortSignal.timeout(mostMs)
  // Only the file itself is read: a playlist must not make ffmpeg open other files or addresses.
  const input = ['-protocol_whitelist', 'file,pipe', '-ss', seconds.toFixed(3), '-i', `file:${medium.path}`]
  const output = [
    '-map',
    '0:v:0',
    '-frames:v',
    '1',
    '-vf',
    `scale=w='min(${width},iw)':h=-2`,
    '-c:v',
    'mjpeg',
    '-f',
    'image2pipe',
  ]
  const child = spawn('ffmpeg', ['-nostdin', '-v', 'error', ...input, ...output, 'pipe:1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  })
  const failed = new Promise<never>((_, reject) => child.once('error', reject))
  try {
    const bytes = await Promise.race([allOf(child.stdout), failed])
    if (bytes.length > 0) return bytes
  } catch (error) {
    throw refused(error)
  }
  throw new RefusedError(422, 'the video has no picture at that time, or it cannot be decoded')
}

async function allOf(stream: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > mostBytes) throw new Error('the picture is too large')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

function isVideo({ kind }: MediaFile): void {
  if (kind !== 'video') throw new RefusedError(415, 'the medium is no video')
}

const refused = (error: unknown): RefusedError =>
  systemCode(error) === 'ENOENT'
    ? new RefusedError(501, 'frames need ffmpeg, which is not installed on the machine of the server')
    : new RefusedError(422, `the video cannot be decoded: ${messageOf(error)}`)
