import { pictureOrientation } from '../../base/media/picture-orientation.js'

/** Pillow rejects pictures with more pixels, as they are probably decompression bombs. */
const mostPixels = 178_956_970
/** At this quality, a second compression is not visible. */
const quality = 95

/**
 * Applies the rotation in a picture's metadata, so that people and models see the same. The format stays, and the orientation is removed. PNG, TIFF
 * and lossless WebP keep each pixel, with 8 bits a colour and of the first page. JPEG and other WebP are compressed again.
 *
 * @returns undefined if the picture is upright
 * @throws Error if it cannot be decoded. The message does not name the reason, because the decoder mixes the reasons of several pictures.
 */
export async function uprightPicture(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  if (pictureOrientation(bytes) === 1) return undefined
  const { default: sharp } = await import('sharp')
  try {
    // Colours stay unchanged, with the file's profile.
    const picture = sharp(bytes, { failOn: 'error', limitInputPixels: mostPixels, ignoreIcc: true })
    const { format, chromaSubsampling = '4:4:4', space } = await picture.metadata()
    // The four colours of print stay what they are. A conversion here would use another profile than the one who shows the picture.
    const kept = space === 'cmyk' ? picture.pipelineColourspace('cmyk').toColourspace('cmyk') : picture
    const turned = kept.autoOrient().keepIccProfile()
    if (format === 'jpeg')
      return await turned
        .jpeg({ quality, chromaSubsampling: chromaSubsampling === '4:2:0' ? '4:2:0' : '4:4:4' })
        .toBuffer()
    if (format === 'webp') return await turned.webp({ quality, lossless: isLossless(bytes) }).toBuffer()
    if (format === 'tiff') return await turned.tiff({ compression: 'deflate' }).toBuffer()
    return await turned.png().toBuffer()
  } catch (error) {
    throw new Error('it cannot be decoded to be turned upright', { cause: error })
  }
}

/** The chunk of a lossless picture. It follows the header and metadata at the beginning. */
const isLossless = (webp: Uint8Array): boolean =>
  Buffer.from(webp.buffer, webp.byteOffset, webp.byteLength)
    .subarray(0, 64 * 1024)
    .includes('VP8L')
