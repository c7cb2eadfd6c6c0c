import { decoderTrouble } from '../../../../base/media/decoder-trouble.js'
import { RefusedError } from '../../http/problems.js'
import type { MediaFile } from './media-file.js'

/** The longest side of a small picture, in pixels. */
export const mostThumbnailWidth = 640
/** Pictures with more pixels are not decoded: a file of a few kilobytes can expand to gigabytes. */
const mostPixels = 100_000_000
/** The time that one picture may take, in seconds. */
const mostSeconds = 15
/** Formats that the decoder gets. Everything else, such as SVG, does not reach it. */
const decoded: ReadonlySet<string> = new Set(['png', 'jpeg', 'gif', 'webp', 'avif', 'tiff'])

/** Makes a small picture (WebP). Its longest side has at most `width` pixels. @throws RefusedError if the medium is no picture that can be decoded */
export async function makeThumbnail({ path, format = '' }: MediaFile, width: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!decoded.has(format)) throw new RefusedError(415, 'there are no small pictures of this format')
  const { default: sharp } = await import('sharp')
  try {
    const picture = await sharp(path, { limitInputPixels: mostPixels, failOn: 'error', pages: 1 })
      .timeout({ seconds: mostSeconds })
      .autoOrient()
      .resize({ width, height: width, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .webp({ quality: 80, effort: 2 })
      .toBuffer()
    return new Uint8Array(picture)
  } catch (error) {
    throw new RefusedError(422, `the picture cannot be made small: ${decoderTrouble(error)}`)
  }
}
