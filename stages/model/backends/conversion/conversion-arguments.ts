import { z } from 'zod'
import { affectsOutput } from '../../backend-args.js'

/** Declares what becomes of media in formats that an API does not take. */
export const mediaArg = (usually: 'original' | 'converted') =>
  affectsOutput(
    z
      .enum(['original', 'converted'])
      .default(usually)
      .describe('pictures and sound in formats that the API does not take; converted: as PNG and WAV'),
  )

/** The pictures and sounds that OpenAI's API takes. */
export const openaiFormats: ReadonlySet<string> = new Set([
  ...['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  ...['audio/wav', 'audio/mpeg'],
])

/** The source files, beside the argument, that determine how a medium is converted. */
export const conversionCode = [
  'stages/model/backends/conversion/conversion-arguments.ts',
  'stages/model/backends/conversion/converted-requests.ts',
  'stages/model/backends/conversion/convert-file.ts',
] as const
