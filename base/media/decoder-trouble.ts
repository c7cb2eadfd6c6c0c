import { messageOf } from '../errors/errors.js'

/** Messages that sharp makes itself. libvips collects others for the whole process, so they may be about another picture. */
const ownMessages = /^Input (?:buffer|file|image|Buffer)[^:\n]*/

/** Messages of libvips begin with the name of a part of it, such as `VipsJpeg:` or `pngload_buffer:`. */
const isOfLibrary = (text: string): boolean =>
  /(?:^|\n)\s*(?:vips\w*|\w*(?:load|save)\w*|libspng|tiff2vips|heif|webp2vips|source|conversion)\b[^\n]*:/i.test(text)

/** Explains why a picture could not be decoded, without the decoder's messages about other pictures. */
export function decoderTrouble(error: unknown): string {
  const text = messageOf(error)
  const [own] = ownMessages.exec(text) ?? []
  if (own !== undefined) return own.trim()
  return isOfLibrary(text) ? 'it is damaged or cut short' : (text.split('\n')[0] ?? text)
}
