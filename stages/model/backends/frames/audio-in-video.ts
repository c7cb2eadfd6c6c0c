import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { affectsOutput } from '../../backend-args.js'
import type { Modality } from '../../define-backend.js'
import type { JsonObject } from '../../../../cache/records.js'
import { type FrameArguments, frameFormat } from './frame-arguments.js'
import type { Clip } from './frame-plan.js'

const forms = z
  .enum(['none', 'after', 'interleaved'])
  .default('none')
  .describe(
    'the sound of videos; after: as a part after the frames or the whole video; interleaved: in pieces, each after the frame with which it begins',
  )

/** The form in which the sound of a video is sent. */
export type AudioInVideo = z.output<typeof forms>

/** Declares what is sent of the sound of videos, for backends that take sound. */
export const audioInVideoArg = affectsOutput(forms)

/** @throws PipelineError (config) if sound is asked for and nothing would be sent, or the model takes none */
export function checkAudioInVideo(
  args: FrameArguments & { readonly audio_in_video: AudioInVideo },
  { backend, accepts }: { readonly backend: string; readonly accepts: readonly Modality[] },
): void {
  const { audio_in_video: form } = args
  if (form === 'none') return
  const about = `model ${backend}: audio_in_video=${form}`
  if (form === 'interleaved' && frameFormat(args) === undefined)
    throw new PipelineError(
      'config',
      `${about} is for videos that are sent as frames. Add nframes=… or fps=…; audio_in_video=after sends the sound after a whole video.`,
    )
  if (!accepts.includes('audio'))
    throw new PipelineError(
      'config',
      `${about} needs a model that takes sound. If this one does, say so: modalities=${[...accepts, 'audio'].join('+')}`,
    )
}

/** The rate of the sound, which speech models take, in samples a second. */
export const soundRate = 16_000

/** The sound to make of a video. */
export interface SoundPlan {
  /** Seconds after the first frame. */
  readonly clip: Clip
  /** The times of the frames after which pieces of the sound come. Absent: the sound is one piece. */
  readonly seconds?: readonly number[]
}

/** Plans the sound that is sent with the frames of a video. */
export const planSound = (
  form: AudioInVideo,
  { clip, frames }: { readonly clip: Clip; readonly frames: readonly { readonly seconds: number }[] },
): SoundPlan => ({ clip, ...(form === 'interleaved' && { seconds: frames.map(({ seconds }) => seconds) }) })

/** Names all that the sound depends on. */
export const soundRules = ({ clip, seconds }: SoundPlan): JsonObject => ({
  sound: { rate: soundRate, ...clip, ...(seconds && { seconds: [...seconds] }) },
})

/** A piece of sound shorter than this, in seconds, becomes a part of the one before: encoders reject very short sounds. */
const shortestPiece = 0.1
/** Times are computed as fractions, in seconds. */
const rounding = 0.001

/**
 * Lists the frames with which a piece of the sound begins. The first piece begins with the sound itself.
 *
 * @param seconds the times of the frames, ascending
 * @param end the time at which the sound ends
 */
export function listPieceStarts(seconds: readonly number[], end: number): readonly number[] {
  const least = shortestPiece - rounding
  const starts = [0]
  let begun = seconds[0] ?? 0
  for (const [frame, time] of seconds.entries()) {
    if (frame === 0 || time - begun < least || end - time < least) continue
    starts.push(frame)
    begun = time
  }
  return starts
}
