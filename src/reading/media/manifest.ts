import { z } from 'zod'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'

const whole = z.number().int().min(0)
const stored = z.object({
  digest: z.string(),
  bytes: whole.optional(),
  width: whole.optional(),
  height: whole.optional(),
})
const frame = z.object({ ...stored.shape, index: whole.optional(), seconds: z.number() })
const sound = z.object({ ...stored.shape, seconds: z.number() })
const medium = z.object({
  type: z.enum(['image', 'audio', 'video', 'file']),
  ...stored.shape,
  clip: z.record(z.string(), z.number()).optional(),
  frames: z.array(frame).readonly().nullable().optional(),
  sounds: z.array(sound).readonly().nullable().optional(),
})
const doc = z.object({ task: z.string(), doc: z.string(), media: z.array(medium).readonly() })
const manifest = z.object({ format: z.literal(1), run: z.string(), docs: z.array(doc).readonly() })

/** A medium by its digest. Bytes are absent if the store lacks the medium. The size in pixels is absent if the medium is no picture with a known header. */
export type ManifestFile = Readonly<z.output<typeof stored>>

/** One frame of a video: its index in the video, its time in seconds, and the resulting picture. */
export type ShownFrame = Readonly<z.output<typeof frame>>

/** One piece of the sound of a video, and the time at which it begins, in seconds after the first frame. */
export type ShownSound = Readonly<z.output<typeof sound>>

/**
 * One medium of a doc's requests. `frames` are the sent frames of a video, and `sounds` the sent pieces of its sound. They are null if the store does
 * not know them. They are absent if the medium was sent whole, or without sound.
 */
export type ManifestMedium = Readonly<z.output<typeof medium>>

/** The media of one doc, in the order of its messages. */
export type ManifestDoc = Readonly<z.output<typeof doc>>

/** The media that a run showed a model. Docs without media are left out. */
export type MediaManifest = Readonly<z.output<typeof manifest>>

/** Parses a manifest that `pipeline media manifest --json` printed. @throws PipelineError (usage) if it is none */
export function parseManifest(text: string, file: string): MediaManifest {
  const makeError = (why: string): PipelineError =>
    new PipelineError(
      'usage',
      `${file} is no manifest of media: ${why}. Write one with pipeline media manifest RUN --json > FILE.`,
    )
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw makeError(messageOf(error))
  }
  const read = manifest.safeParse(value)
  if (read.success) return read.data
  throw makeError(mistakeLines(read.error.issues, value, { from: 'json', whole: 'the file' }).slice(0, 2).join('; '))
}
