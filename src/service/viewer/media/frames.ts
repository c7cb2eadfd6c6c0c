/** Computes the times of the frames that a model was sent, and pictures of single frames. */
import { z } from 'zod'
import { messageOf } from '../../../../base/errors/errors.js'
import { decoderInput, defaultLimits } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { DecoderError, awaitDecoderExit, startDecoder } from '../../../../base/processes/ffmpeg/run-decoder.js'
import type { Store } from '../../../../cache/store.js'
import { derivedName } from '../../../model/derived-media.js'
import { videoFacts } from '../../../../stages/model/backends/frames/video-facts.js'
import { frameIndices, secondsOfFrame } from '../../../../stages/model/backends/frames/frame-plan.js'
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
  times: z.literal('pts').optional(),
})

/** The derivation of a video that was sent. Without `frames`, it was sent whole. */
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
  // Frame times stored at sending are exact. An imported store may lack them.
  const stored = storedTimes.safeParse(
    await store.values.get(derivedName(medium.digest, { frames: { ...frames, ...clip } })),
  )
  if (stored.success) return stored.data.about.seconds
  try {
    const signal = AbortSignal.timeout(mostMs)
    const { seconds, ...facts } = await videoFacts(medium.path, { limits: defaultLimits, signal, isExact: false })
    const video = { ...facts, ...(seconds !== undefined && frames.times === 'pts' && { seconds }) }
    return frameIndices(video, frames, clip).map(index => secondsOfFrame(video, index))
  } catch (error) {
    throw makeRefusal(error)
  }
}

const storedTimes = z.object({ about: z.object({ seconds: z.array(z.number()) }) })

/** The picture of a video at a time, as WebP or JPEG. @throws RefusedError */
export async function framePicture(
  medium: MediaFile,
  { seconds, width }: { readonly seconds: number; readonly width: number },
): Promise<Uint8Array<ArrayBuffer>> {
  isVideo(medium)
  try {
    const { options, path } = await decoderInput(medium.path, defaultLimits)
    const input = ['-nostdin', '-v', 'error', ...options, '-ss', seconds.toFixed(3), '-i', path, '-map', '0:V:0']
    const scale = `scale=w='min(${width},iw)':h=-2`
    const output = ['-frames:v', '1', '-vf', scale, '-c:v', 'mjpeg', '-f', 'image2pipe', 'pipe:1']
    const { memoryMb } = defaultLimits
    const child = startDecoder('ffmpeg', [...input, ...output], { memoryMb, signal: AbortSignal.timeout(mostMs) })
    child.stderr.resume()
    const [bytes] = await Promise.all([readAll(child.stdout), awaitDecoderExit(child)])
    if (bytes.length > 0) return bytes
  } catch (error) {
    throw makeRefusal(error)
  }
  throw new RefusedError(422, 'the video has no picture at that time, or it cannot be decoded')
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Uint8Array<ArrayBuffer>> {
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

const isMissing = (error: unknown): boolean =>
  error instanceof DecoderError ? error.reason === 'missing' : error instanceof Error && isMissing(error.cause)

const makeRefusal = (error: unknown): RefusedError =>
  isMissing(error)
    ? new RefusedError(501, 'frames need ffmpeg, which is not installed on the machine of the server')
    : new RefusedError(422, `the video cannot be decoded: ${messageOf(error)}`)
