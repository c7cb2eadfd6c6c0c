import { z } from 'zod'
import type { ModelIdentity } from '../../cache/records.js'
import type { ModelArgs } from '../../stages/model/backend-args.js'
import { audioInVideoArg } from '../../stages/model/backends/frames/audio-in-video.js'
import { frameArgs } from '../../stages/model/backends/frames/frame-arguments.js'
import { shownInBatches } from '../../stages/model/backends/frames/showing-frames.js'
import type { BackendContext } from '../../stages/model/define-backend.js'

const argumentsOfVideos = z.object({
  ...frameArgs,
  audio_in_video: audioInVideoArg,
  timeout: z.number().optional(),
})

/** Replaces the videos of a request by the frames and sounds that are sent. */
export type ShowVideos = NonNullable<Awaited<ReturnType<typeof shownInBatches>>['shown']>

/**
 * Opens the function that makes the frames and sounds of videos for a model's requests, without opening the model.
 *
 * @returns undefined if videos are sent whole
 * @throws PipelineError if ffmpeg is not installed
 */
export async function openVideoFrames(
  args: ModelArgs,
  identity: ModelIdentity,
  context: BackendContext,
): Promise<ShowVideos | undefined> {
  if (!('message_format' in args)) return undefined
  return (await shownInBatches(argumentsOfVideos.parse({ ...args, ...identity.args }), context)).shown
}
