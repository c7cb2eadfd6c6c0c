import { z } from 'zod'
import { affectsOutput } from '../../backend-args.js'

const forms = z
  .enum(['original', 'converted', 'lmms'])
  .describe(
    'converted: as PNG and WAV where the API does not take the format; lmms: all pictures as lmms-eval sends them, in RGB',
  )

/** The form in which pictures and sounds are sent. `lmms` is Pillow's view of a picture, as lmms-eval sends it. */
export type MediaForm = z.output<typeof forms>

/** Declares what becomes of media in formats that an API does not take. */
export const mediaArg = (usually: 'original' | 'converted') => affectsOutput(forms.default(usually))

/** Declares the same for a backend whose default depends on its address. */
export const optionalMediaArg = affectsOutput(forms.optional())

/** The source files, beside the argument, that determine how a medium is converted. */
export const conversionCode = [
  'stages/model/backends/conversion/conversion-arguments.ts',
  'stages/model/backends/conversion/taken-formats.ts',
  'stages/model/backends/conversion/converted-requests.ts',
  'stages/model/backends/conversion/convert-file.ts',
  'stages/model/backends/conversion/gif-frame.ts',
  'stages/model/backends/conversion/heic-picture.ts',
  'base/media/heic-items.ts',
  'stages/model/backends/conversion/rgb-picture.ts',
] as const
