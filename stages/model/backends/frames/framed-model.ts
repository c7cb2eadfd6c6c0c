import { z } from 'zod'
import { join } from 'node:path'
import { without } from '../../../../base/values/without.js'
import type { ChatMessage, ContentPart, JsonObject, MediaPart } from '../../../../cache/records.js'
import type { BackendContext, DerivedMedia, MakeMedia } from '../../define-backend.js'
import { AttemptError, type Model, type ModelRequest, showingModel } from '../../model.js'
import { type AudioInVideo, planSound, soundRules } from './audio-in-video.js'
import { type Decoding, requireFfmpeg } from './ffmpeg.js'
import type { FrameFormat, FrameLimits } from './frame-arguments.js'
import { frameIndices, frameSize, inPairs, secondsOfFrame, type Clip } from './frame-plan.js'
import { extractFrames } from './seek-frames.js'
import { videoFacts } from './video-facts.js'
import { makeSound } from './video-sound.js'

/** The frames and sounds that are shown of a video, and the maximum cost of making them. */
export interface Framing {
  /** Absent if videos are sent whole, with their sound after them. */
  readonly format?: FrameFormat | undefined
  /** @default 'none' */
  readonly audio?: AudioInVideo | undefined
  readonly limits: FrameLimits
}

/**
 * Wraps a model so that videos are sent as frames, or with their sound. The frames are made once and kept in the store.
 *
 * @throws PipelineError if ffmpeg is not installed
 */
export async function framedModel(inner: Model, framing: Framing, context: BackendContext): Promise<Model> {
  return showingModel(inner, await framedRequests(framing, context))
}

/** Returns a function that replaces the videos of a request by what is shown of them. @throws PipelineError if ffmpeg is not installed */
export async function framedRequests(
  framing: Framing,
  context: BackendContext,
): Promise<(request: ModelRequest, signal: AbortSignal) => Promise<ModelRequest>> {
  await requireFfmpeg(`videos are to be sent ${framing.format === undefined ? 'with their sound' : 'as frames'}`)
  const show = (part: MediaPart, signal: AbortSignal): Promise<readonly ContentPart[]> =>
    showVideo(part, { ...framing, context, signal })
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

async function showVideo(part: MediaPart, showing: Showing): Promise<readonly ContentPart[]> {
  const { format, audio = 'none' } = showing
  const clip = parseClip(part)
  if (format === undefined) {
    const sounds = await deriveSounds(part, { clip, frames: [], audio: 'after' }, showing)
    return [part, ...sounds.map(({ sound }) => sound)]
  }
  const frames = await deriveFrames(part, clip, { ...showing, format })
  const sounds = audio === 'none' ? [] : await deriveSounds(part, { clip, frames, audio }, showing)
  const chosenFrames = format.format === 'openai' ? frames : inPairs(frames)
  const parts = chosenFrames.flatMap((frame, index) => [
    ...framePicture(frame, format),
    ...(audio === 'interleaved' ? sounds.filter(({ after }) => after === index).map(({ sound }) => sound) : []),
  ])
  return audio === 'after' ? [...parts, ...sounds.map(({ sound }) => sound)] : parts
}

const framePicture = ({ image, seconds }: ShownFrame, { format }: FrameFormat): readonly ContentPart[] =>
  format === 'openai' ? [image] : [{ type: 'text', text: `<${seconds.toFixed(1)} seconds>` }, image]

async function deriveFrames(
  part: MediaPart,
  clip: Clip,
  showing: Showing & { readonly format: FrameFormat },
): Promise<readonly ShownFrame[]> {
  const { format } = showing
  const rules = without(format, 'format')
  const how = { frames: { ...rules, ...clip } }
  const make: Derivation['make'] = (path, making) => makeFrames(path, { format, clip, ...making })
  const derived = await derive(part, { how, make, subject: 'the frames of the video were' }, showing)
  if (derived.about['skipped'] !== undefined) showing.context.noteOnce?.(skippedNote)
  return shownFrames(derived)
}

const skippedNote =
  'videos that begin without a keyframe are shown from their first one, because no frame before it can be decoded   (docs/models/media.md)'

interface Derivation {
  /** The beginning of the sentence that they are not ready. */
  readonly subject: string
  readonly how: JsonObject
  readonly make: (path: string, making: Decoding & { readonly folder: string }) => ReturnType<MakeMedia>
}

/** Derives media from a video within its limit of time. */
function derive(
  { media }: MediaPart,
  { how, make, subject }: Derivation,
  { limits, context, signal }: Pick<Showing, 'limits' | 'context' | 'signal'>,
): Promise<DerivedMedia> {
  if (context.deriveMedia === undefined) throw new Error('internal error: there is no place for frames')
  return context.deriveMedia(
    media,
    how,
    (folder, stopped) =>
      withinTime({ ...limits, subject }, stopped, async within => {
        await using video = await context.openMediaFile(media)
        return await make(video.path, { folder, limits, signal: within })
      }),
    signal,
  )
}

const precedingFrames = z.object({ after: z.array(z.number()) })

interface ShownSound {
  readonly sound: MediaPart
  /** The frame that precedes it. */
  readonly after: number
}

async function deriveSounds(
  part: MediaPart,
  {
    clip,
    frames,
    audio,
  }: { readonly clip: Clip; readonly frames: readonly ShownFrame[]; readonly audio: AudioInVideo },
  showing: Showing,
): Promise<readonly ShownSound[]> {
  const plan = planSound(audio, { clip, frames })
  const make: Derivation['make'] = (path, making) => makeSound(path, { ...plan, ...making })
  const derivation = { how: soundRules(plan), make, subject: 'the sound of the video was' }
  const { media, about } = await derive(part, derivation, showing)
  if (media.length === 0) showing.context.noteOnce?.(showing.format === undefined ? wholeSoundlessNote : soundlessNote)
  const { after } = precedingFrames.parse(about)
  return media.map((digest, piece) => ({ sound: { type: 'audio', media: digest }, after: after[piece] ?? 0 }))
}

const soundlessNote = 'videos without sound are sent as frames alone   (audio_in_video)'
const wholeSoundlessNote = 'videos without sound are sent alone   (audio_in_video)'

const clipFields = z.strictObject({ start: z.number().optional(), end: z.number().optional() })

function parseClip({ derive: derivation = {} }: MediaPart): Clip {
  const clip = clipFields.safeParse(derivation)
  if (clip.success)
    return {
      ...(clip.data.start !== undefined && { start: clip.data.start }),
      ...(clip.data.end !== undefined && { end: clip.data.end }),
    }
  throw new AttemptError('invalid_request', `a video can't be shown with ${JSON.stringify(derivation)}`, {
    isRetryable: false,
  })
}

const times = z.object({ seconds: z.array(z.number()), places: z.array(z.number()) })

interface ShownFrame {
  readonly image: MediaPart
  readonly seconds: number
}

/** Returns one image for each index. A short video may show one frame several times. */
function shownFrames({ media, about }: DerivedMedia): readonly ShownFrame[] {
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
  { seconds, timeArgument, subject }: FrameLimits & Pick<Derivation, 'subject'>,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(seconds * 1000)
  try {
    return await work(AbortSignal.any([signal, deadline]))
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    const why = `${subject} not ready after ${seconds} s (${timeArgument}=…)`
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
  let beginsWithin = false
  for (const isExact of [false, true]) {
    const { seconds, ...facts } = await videoFacts(path, { ...decoding, isExact, beginsWithin })
    beginsWithin = facts.skipped > 0
    const video = { ...facts, ...(seconds !== undefined && format.times === 'pts' && { seconds }) }
    const indices = frameIndices(video, format, clip)
    if (indices.length === 0) break
    const distinct = [...new Set(indices)]
    const frames = {
      ...{ codec: video.codec, packets: video.packets, skipped: video.skipped, pixels: video.width * video.height },
      indices: distinct,
      ...frameSize(video, format),
      folder: join(folder, String(isExact)),
    }
    const files = await extractFrames(path, { ...decoding, ...frames })
    if (files.length < distinct.length) continue
    const positions = indices.map(index => distinct.indexOf(index))
    return {
      files,
      about: {
        ...{ seconds: indices.map(index => secondsOfFrame(video, index)), places: positions, indices: [...indices] },
        ...(video.skipped > 0 && { skipped: video.skipped }),
      },
    }
  }
  throw new AttemptError('media', "the video can't be taken apart: it has no frames there", { isRetryable: false })
}
