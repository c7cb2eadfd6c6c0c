import { z } from 'zod'
import { affectsOutput } from '../../backend-args.js'
import type { FrameRules } from './frame-plan.js'

export interface FrameArguments {
  readonly message_format: 'openai' | 'qwen3_vl'
  readonly nframes?: number | undefined
  readonly fps?: number | undefined
  readonly max_frames: number
  readonly min_pixels: number
  readonly max_pixels: number
}

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
}

/** How videos become frames. */
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
  const { max_frames, min_pixels, max_pixels } = limits
  return { format, nframes: nframes ?? defaultFrames, fps, max_frames, min_pixels, max_pixels, factor: factors[format] }
}

/** The source files, beside the arguments, that determine how a video is shown. */
export const frameCode = [
  'stages/model/backends/frames/ffmpeg.ts',
  'stages/model/backends/frames/frame-arguments.ts',
  'stages/model/backends/frames/frame-plan.ts',
  'stages/model/backends/frames/framed-model.ts',
] as const
