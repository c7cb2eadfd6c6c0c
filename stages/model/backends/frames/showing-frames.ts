import type { BackendContext } from '../../define-backend.js'
import { type Model, type ModelRequest, showingModel } from '../../model.js'
import type { AudioInVideo } from './audio-in-video.js'
import {
  type DecodingArguments,
  type FrameArguments,
  type FrameFormat,
  frameFormat,
  frameLimits,
} from './frame-arguments.js'

/** The arguments that say how a video is shown. */
type ShowingArguments = FrameArguments & DecodingArguments & { readonly audio_in_video?: AudioInVideo }

/**
 * Wraps a model so that videos are sent as frames or with their sound, if its arguments say so. A note at the first video tells what is sent.
 *
 * @param whole what becomes of videos otherwise
 */
export async function showingFrames(
  model: Model,
  args: ShowingArguments,
  { whole = wholeVideos, ...context }: BackendContext & { readonly whole?: string },
): Promise<Model> {
  const framing = readFraming(args)
  if (framing === undefined) return tellingOfVideos(model, whole, context)
  const { framedModel } = await import('./framed-model.js')
  const { format, audio } = framing
  return tellingOfVideos(
    await framedModel(model, framing, context),
    format === undefined ? wholeVideosWithSound : `${framesSaid(format)}${soundsSaid[audio]}`,
    context,
  )
}

/** Reads what is made of videos. @returns undefined if they are sent as they are */
function readFraming(args: ShowingArguments) {
  const { audio_in_video: audio = 'none' } = args
  const format = frameFormat(args)
  return format === undefined && audio === 'none' ? undefined : { format, audio, limits: frameLimits(args) }
}

function tellingOfVideos(model: Model, text: string, { note }: Pick<BackendContext, 'note'>): Model {
  if (note === undefined) return model
  let isSaid = false
  return showingModel(model, request => {
    if (!isSaid && request.input.messages.some(({ content }) => content.some(({ type }) => type === 'video'))) {
      isSaid = true
      note(text)
    }
    return Promise.resolve(request)
  })
}

const wholeVideos =
  'videos are sent as whole files (video_url), and the server chooses the frames. ' +
  'lmms-eval sends frames: openai 10, async_openai 64, vllm and sglang 32. nframes=… sends frames here   (docs/models/media.md)'

const wholeVideosWithSound =
  'videos are sent as whole files (video_url), then their sound, and the server chooses the frames   (docs/models/media.md)'

/** For APIs that take no videos, though `modalities` may say that the model does. */
export const noWholeVideos =
  'this API takes no videos: docs with videos fail. nframes=… sends frames of them   (docs/models/media.md)'

function framesSaid({ format, nframes, fps, min_pixels: least, max_pixels: most }: FrameFormat): string {
  const count = fps === undefined ? `${nframes} frames` : `${fps} frames a second`
  const times = format === 'qwen3_vl' ? ', each after its time' : ''
  return `of a video ${count} are sent, evenly spaced, each of ${least} to ${most} pixels${times}`
}

const soundsSaid: Readonly<Record<AudioInVideo, string>> = {
  none: '',
  after: ', then its sound',
  interleaved: ', and its sound between them',
}

type ConvertRequest = (request: ModelRequest, signal: AbortSignal) => Promise<ModelRequest>

/**
 * Returns the function that replaces videos by what is shown of them in batch requests, if the arguments say so.
 *
 * @param convert replaces other media
 */
export async function shownInBatches(
  args: ShowingArguments,
  context: BackendContext,
  convert?: ConvertRequest,
): Promise<{ readonly shown?: (request: ModelRequest) => Promise<ModelRequest> }> {
  const framing = readFraming(args)
  const signal = context.interrupted ?? new AbortController().signal
  if (framing === undefined) return convert === undefined ? {} : { shown: request => convert(request, signal) }
  const { framedRequests } = await import('./framed-model.js')
  const framed = await framedRequests(framing, context)
  return { shown: async request => framed((await convert?.(request, signal)) ?? request, signal) }
}
