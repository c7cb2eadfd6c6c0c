import { z } from 'zod'
import { join } from 'node:path'
import type { ChatMessage, ContentPart, JsonObject, MediaPart } from '../../../../cache/records.js'
import type { BackendContext, DerivedMedia } from '../../define-backend.js'
import { AttemptError, type Model, type ModelRequest } from '../../model.js'
import { type Decoding, requireFfmpeg } from './ffmpeg.js'
import type { FrameFormat, FrameLimits } from './frame-arguments.js'
import { frameIndices, frameSize, inPairs, secondsOfFrame, type Clip } from './frame-plan.js'
import { extractFrames } from './seek-frames.js'
import { videoFacts } from './video-facts.js'

/** The frames that are shown of a video, and the maximum cost of making them. */
export interface Framing {
  readonly format: FrameFormat
  readonly limits: FrameLimits
}

/**
 * Wraps a model so that videos are sent as frames. The frames are made once and kept in the store.
 *
 * @throws PipelineError if ffmpeg is not installed
 */
export async function framedModel(inner: Model, framing: Framing, context: BackendContext): Promise<Model> {
  const framed = await framedRequests(framing, context)
  return {
    ...inner,
    answer: async (request, signal, ...others) => inner.answer(await framed(request, signal), signal, ...others),
  }
}

/** Returns a function that replaces the videos of a request by frames. @throws PipelineError if ffmpeg is not installed */
export async function framedRequests(
  framing: Framing,
  context: BackendContext,
): Promise<(request: ModelRequest, signal: AbortSignal) => Promise<ModelRequest>> {
  await requireFfmpeg('videos are to be sent as frames')
  const show = (part: MediaPart, signal: AbortSignal): Promise<readonly ContentPart[]> =>
    deriveFrames(part, { ...framing, context, signal })
  return async (request, signal) => {
    const messages: ChatMessage[] = []
    for (const message of request.input.messages) {
      const parts: ContentPart[] = []
      for (const part of message.content) parts.push(...(part.type === 'video' ? await show(part, signal) : [part]))
      messages.push({ ...message, content: parts })
    }
    return { ...request, input: { ...request.input, messages } }
  }
}

interface Showing extends Framing {
  readonly context: BackendContext
  readonly signal: AbortSignal
}

async function deriveFrames(part: MediaPart, showing: Showing): Promise<readonly ContentPart[]> {
  const { format, limits, context, signal } = showing
  const { format: name, ...rules } = format
  const clip = parseClip(part)
  if (context.deriveMedia === undefined) throw new Error('internal error: there is no place for frames')
  const how = { frames: { ...rules, ...clip } }
  const derived = await context.deriveMedia(
    part.media,
    how,
    (folder, stopped) =>
      withinTime(limits, stopped, async within => {
        await using video = await context.openMediaFile(part.media)
        return await makeFrames(video.path, { format, clip, folder, limits, signal: within })
      }),
    signal,
  )
  const frames = shownFrames(derived)
  if (name === 'openai') return frames.map(({ image }) => image)
  return inPairs(frames).flatMap(({ image, seconds }) => [
    { type: 'text' as const, text: `<${seconds.toFixed(1)} seconds>` },
    image,
  ])
}

const clipFields = z.strictObject({ start: z.number().optional(), end: z.number().optional() })

function parseClip({ derive = {} }: MediaPart): Clip {
  const clip = clipFields.safeParse(derive)
  if (clip.success)
    return {
      ...(clip.data.start !== undefined && { start: clip.data.start }),
      ...(clip.data.end !== undefined && { end: clip.data.end }),
    }
  throw new AttemptError('invalid_request', `a video can't be shown with ${JSON.stringify(derive)}`, {
    isRetryable: false,
  })
}

const times = z.object({ seconds: z.array(z.number()), places: z.array(z.number()) })

/** Returns one image for each index. A short video may show one frame several times. */
function shownFrames({
  media,
  about,
}: DerivedMedia): readonly { readonly image: MediaPart; readonly seconds: number }[] {
  const { seconds, places: positions } = times.parse(about)
  return positions.flatMap((position, index) => {
    const digest = media[position]
    return digest === undefined
      ? []
      : [{ image: { type: 'image' as const, media: digest }, seconds: seconds[index] ?? 0 }]
  })
}

/** @throws AttemptError if the work takes longer than its limit. A retry in the same run would not be faster. */
async function withinTime<T>(
  { seconds, timeArgument }: FrameLimits,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(seconds * 1000)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    const why = `the frames of the video were not ready after ${seconds} s (${timeArgument}=…)`
    throw new AttemptError(timeArgument === 'timeout' ? 'timeout' : 'media', why, { isRetryable: false, cause: error })
  }
}

interface MakingFrames extends Decoding {
  readonly format: FrameFormat
  readonly clip: Clip
  readonly folder: string
}

async function makeFrames(
  path: string,
  { format, clip, folder, ...decoding }: MakingFrames,
): Promise<{ readonly files: readonly string[]; readonly about: JsonObject }> {
  for (const isExact of [false, true]) {
    const { seconds, ...facts } = await videoFacts(path, { ...decoding, isExact })
    const video = { ...facts, ...(seconds !== undefined && format.times === 'pts' && { seconds }) }
    const indices = frameIndices(video, format, clip)
    if (indices.length === 0) break
    const distinct = [...new Set(indices)]
    const frames = {
      ...{ codec: video.codec, packets: video.packets, pixels: video.width * video.height },
      indices: distinct,
      ...frameSize(video, format),
      folder: join(folder, String(isExact)),
    }
    const files = await extractFrames(path, { ...decoding, ...frames })
    if (files.length < distinct.length) continue
    const positions = indices.map(index => distinct.indexOf(index))
    return {
      files,
      about: { seconds: indices.map(index => secondsOfFrame(video, index)), places: positions, indices: [...indices] },
    }
  }
  throw new AttemptError('media', "the video can't be taken apart: it has no frames there", { isRetryable: false })
}
