import { z } from 'zod'
import { defaultLimits, type DecoderLimits } from '../../../../base/processes/ffmpeg/decoder-input.js'
import { affectsOutput, type ModelArgs, transport } from '../../backend-args.js'
import type { FrameRules } from './frame-plan.js'

export interface FrameArguments {
  readonly message_format: 'openai' | 'qwen3_vl'
  readonly nframes?: number | undefined
  readonly fps?: number | undefined
  readonly max_frames: number
  readonly min_pixels: number
  readonly max_pixels: number
  readonly frame_times?: 'pts' | 'rate' | undefined
}

/** Limits of making frames. `timeout` is that of the attempt, which waits for them. */
export interface DecodingArguments {
  readonly decode_timeout: number
  readonly decode_memory_mb: number
  readonly decode_max_pixels: number
  readonly timeout?: number | undefined
}

const frameTimes = ['pts', 'rate'] as const

/** The arguments of a backend that can show a video as frames. */
export const frameArgs = {
  message_format: affectsOutput(
    z
      .enum(['openai', 'qwen3_vl'])
      .default('openai')
      .describe('how videos are shown; qwen3_vl: as an even number of frames, each after its time in seconds'),
  ),
  nframes: affectsOutput(
    z.number().int().min(1).max(4096).optional().describe('videos are sent as so many frames, evenly spaced'),
  ),
  fps: affectsOutput(
    z.number().positive().optional().describe('videos are sent as so many frames a second, at least 4'),
  ),
  max_frames: affectsOutput(z.number().int().min(1).max(4096).default(768).describe('the most frames of one video')),
  min_pixels: affectsOutput(z.number().int().min(1).default(784).describe('the least pixels of a frame')),
  max_pixels: affectsOutput(
    z.number().int().min(784).default(151_200).describe('the most pixels of a frame: larger ones are made smaller'),
  ),
  // A key without this argument means "rate", as before the argument existed. withFrameTimes sets the default.
  frame_times: affectsOutput(
    z
      .enum(frameTimes)
      .optional()
      .describe(
        'when a frame is shown; pts: as the file says, which is the default; rate: index ÷ average frame rate, as in lmms-eval',
      ),
  ),
  decode_timeout: transport(
    z
      .number()
      .positive()
      .max(86_400)
      .default(defaultLimits.seconds)
      .describe('seconds for the frames of one video; timeout limits them, too'),
  ),
  decode_memory_mb: transport(
    z
      .number()
      .int()
      .min(64)
      .default(defaultLimits.memoryMb)
      .describe('megabytes of memory for the frames of one video'),
  ),
  decode_max_pixels: transport(
    z
      .number()
      .int()
      .min(1)
      .default(defaultLimits.pixels)
      .describe('the most pixels of a video’s own pictures: videos with larger ones are refused'),
  ),
}

/**
 * Sets how frames are timed where the arguments make frames and do not say it.
 *
 * @param isByRate whether the default is that of lmms-eval
 */
export function withFrameTimes(args: ModelArgs, { isByRate }: { readonly isByRate: boolean }): ModelArgs {
  const { success, data } = argumentsOfFrames.safeParse(args)
  if (isByRate || !success || !('message_format' in args)) return args
  return frameFormat(data) === undefined || data.frame_times !== undefined ? args : { ...args, frame_times: 'pts' }
}

/** The limits of making the frames of one video. */
export interface FrameLimits extends DecoderLimits {
  /** The argument that set the limit of time. */
  readonly timeArgument: 'timeout' | 'decode_timeout'
}

export function frameLimits(args: DecodingArguments): FrameLimits {
  const { decode_timeout: own, decode_memory_mb: memoryMb, decode_max_pixels: pixels, timeout = Infinity } = args
  const timeArgument = timeout < own ? 'timeout' : 'decode_timeout'
  return { seconds: Math.min(timeout, own), memoryMb, pixels, timeArgument }
}

const argumentsOfFrames = z.object(frameArgs)

/** The format in which videos become frames. */
export interface FrameFormat extends FrameRules {
  readonly format: 'openai' | 'qwen3_vl'
}

/** The default of lmms-eval. */
const defaultFrames = 64

/** The width and height in pixels that one image token covers: two patches of 14 pixels, or of 16 in Qwen3-VL. */
const factors = { openai: 28, qwen3_vl: 32 } as const

/** Reads how videos become frames. @returns undefined if videos are sent as they are */
export function frameFormat({
  message_format: format,
  nframes,
  fps,
  ...limits
}: FrameArguments): FrameFormat | undefined {
  if (format === 'openai' && nframes === undefined && fps === undefined) return undefined
  const { max_frames, min_pixels, max_pixels, frame_times: times } = limits
  return {
    ...{ format, nframes: nframes ?? defaultFrames, fps, max_frames, min_pixels, max_pixels, factor: factors[format] },
    ...(times === 'pts' && { times }),
  }
}

/** The source files, beside the arguments, that determine how a video is shown. */
export const frameCode = [
  'base/processes/ffmpeg/decoder-input.ts',
  'stages/model/backends/frames/audio-in-video.ts',
  'stages/model/backends/frames/ffmpeg.ts',
  'stages/model/backends/frames/frame-arguments.ts',
  'stages/model/backends/frames/frame-plan.ts',
  'stages/model/backends/frames/framed-model.ts',
  'stages/model/backends/frames/seek-frames.ts',
  'stages/model/backends/frames/seek-plan.ts',
  'stages/model/backends/frames/video-facts.ts',
  'stages/model/backends/frames/video-sound.ts',
] as const
