import type { MediaType } from '../../../../base/media/media-type.js'

/** The pictures and sounds that each API takes. Others are converted. `docs/models/media.md` shows this table. */
export const takenFormats = {
  anthropic: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  gemini: [
    ...['image/png', 'image/jpeg', 'image/webp', 'image/heic'],
    ...['audio/wav', 'audio/mpeg', 'audio/flac', 'audio/ogg', 'audio/mp4', 'audio/aac', 'audio/aiff'],
  ],
  ollama: ['image/png', 'image/jpeg', 'image/webp'],
  'the chat server': ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'audio/wav', 'audio/mpeg'],
  'the Responses API': ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** The name of an API in the table and in notes. */
export type MediaApi = keyof typeof takenFormats

/** Tells whether an API takes a picture or sound of this type. */
export function takesFormat(api: MediaApi, { mime }: MediaType): boolean {
  const formats: readonly string[] = takenFormats[api]
  return formats.includes(mime)
}
