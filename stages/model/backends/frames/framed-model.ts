import { z } from 'zod'
import { join } from 'node:path'
import type { ChatMessage, ContentPart, JsonObject, MediaPart } from '../../../../cache/records.js'
import type { BackendContext, DerivedMedia } from '../../define-backend.js'
import { AttemptError, type Model, type ModelRequest } from '../../model.js'
import { requireFfmpeg, videoFacts, writeFrames } from './ffmpeg.js'
import type { FrameFormat } from './frame-arguments.js'
import { frameIndices, frameSize, inPairs, type Clip } from './frame-plan.js'

/**
 * Wraps a model so that videos are sent as frames. The frames are made once and kept in the store.
 *
 * @throws PipelineError if ffmpeg is not installed
 */
export async function framedModel(inner: Model, format: FrameFormat, context: BackendContext): Promise<Model> {
  const framed = await framedRequests(format, context)
  return {
    ...inner,
    answer: async (request, signal, watch) => inner.answer(await framed(request, signal), signal, watch),
  }
}

/** Returns a function that replaces the videos of a request by frames. @throws PipelineError if ffmpeg is not installed */
export async function framedRequests(
  format: FrameFormat,
  context: BackendContext,
): Promise<(request: ModelRequest, signal: AbortSignal) => Promise<ModelRequest>> {
  await requireFfmpeg('videos are to be sent as frames')
  const show = (part: MediaPart, signal: AbortSignal): Promise<readonly ContentPart[]> =>
    framesOf(part, { format, context, signal })
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

interface Showing {
  readonly format: FrameFormat
  readonly context: BackendContext
  readonly signal: AbortSignal
}

async function framesOf(part: MediaPart, { format, context, signal }: Showing): Promise<readonly ContentPart[]> {
  const { format: name, ...rules } = format
  const clip = clipOf(part)
  if (context.deriveMedia === undefined) throw new Error('internal error: there is no place for frames')
  const derived = await context.deriveMedia(part.media, { frames: { ...rules, ...clip } }, folder =>
    makeFrames(context.mediaPath(part.media), { format, clip, signal, folder }),
  )
  const frames = shownFrames(derived)
  if (name === 'openai') return frames.map(({ image }) => image)
  return inPairs(frames).flatMap(({ image, seconds }) => [
    { type: 'text' as const, text: `<${seconds.toFixed(1)} seconds>` },
    image,
  ])
}

const clipFields = z.strictObject({ start: z.number().optional(), end: z.number().optional() })

function clipOf({ derive = {} }: MediaPart): Clip {
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
  const { seconds, places } = times.parse(about)
  return places.flatMap((place, index) => {
    const digest = media[place]
    return digest === undefined
      ? []
      : [{ image: { type: 'image' as const, media: digest }, seconds: seconds[index] ?? 0 }]
  })
}

async function makeFrames(
  path: string,
  {
    format,
    clip,
    signal,
    folder,
  }: { readonly format: FrameFormat; readonly clip: Clip; readonly signal: AbortSignal; readonly folder: string },
): Promise<{ readonly files: readonly string[]; readonly about: JsonObject }> {
  for (const isExact of [false, true]) {
    const video = await videoFacts(path, { signal, isExact })
    const indices = frameIndices(video, format, clip)
    if (indices.length === 0) break
    const distinct = [...new Set(indices)]
    const frames = {
      codec: video.codec,
      indices: distinct,
      ...frameSize(video, format),
      folder: join(folder, String(isExact)),
      signal,
    }
    const files = await writeFrames(path, frames)
    if (files.length < distinct.length) continue
    const places = indices.map(index => distinct.indexOf(index))
    return { files, about: { seconds: indices.map(index => index / video.fps), places } }
  }
  throw new AttemptError('media', "the video can't be taken apart: it has no frames there", { isRetryable: false })
}
