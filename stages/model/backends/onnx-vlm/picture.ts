import sharp from 'sharp'
import { decoderTrouble } from '../../../../base/media/decoder-trouble.js'
import { AttemptError } from '../../model.js'
import { readRgbPixels } from '../conversion/rgb-picture.js'
import type { PictureConfig } from './model-config.js'
import { resizeBilinear, type RgbPicture } from './resample.js'

/** Pillow rejects images of more than twice this size, as they are probably decompression bombs. */
const maxPixels = 89_478_485

/**
 * Decodes PNG, JPEG, WebP, GIF (first frame) and TIFF to RGB like Pillow's `convert("RGB")`. Alpha is dropped, not
 * blended. Grey is repeated, and the four colours of print are converted without a profile. A colour profile is ignored. The picture is turned as its metadata say, as people see it.
 *
 * @throws AttemptError `media` if the bytes are not an image, are cut off, or hold too many pixels
 */
export async function decodePicture(bytes: Uint8Array, name: string): Promise<RgbPicture> {
  try {
    const picture = sharp(bytes, { failOn: 'error', ignoreIcc: true, limitInputPixels: maxPixels }).autoOrient()
    const { data, width, height } = await readRgbPixels(picture)
    return { width, height, bytes: data }
  } catch (error) {
    throw new AttemptError('media', `${name} cannot be read as a picture: ${decoderTrouble(error)}`, {
      isRetryable: false,
      cause: error,
    })
  }
}

/**
 * Resizes an image for the vision encoder. It is first scaled to the processor's longest edge. The other edge is kept
 * in proportion, rounded down, then up to an even number. Then the image is resized to a square, whatever its
 * proportions.
 *
 * Source: transformers, `Idefics3ImageProcessor` without image splitting.
 */
export function fitPicture(picture: RgbPicture, config: PictureConfig): RgbPicture {
  const { width, height } = scaledSize(picture, config.longestEdge)
  return resizeBilinear(resizeBilinear(picture, width, height), config.size, config.size)
}

function scaledSize(picture: RgbPicture, longestEdge: number): { width: number; height: number } {
  const ratio = picture.width / picture.height
  const isWide = picture.width >= picture.height
  const other = Math.trunc(isWide ? longestEdge / ratio : longestEdge * ratio)
  const even = Math.max(1, other + (other % 2))
  return isWide ? { width: longestEdge, height: even } : { width: even, height: longestEdge }
}

/**
 * Normalises pixel values, in the order channel, row, column. They equal the reference's float32 values bit by bit,
 * because each step (rescale, subtract the mean, divide by the deviation) rounds to float32.
 */
export function normalisePixels(picture: RgbPicture, config: PictureConfig): Float32Array {
  const pixels = picture.width * picture.height
  const values = new Float32Array(pixels * 3)
  for (let channel = 0; channel < 3; channel++) {
    const table = computeByteTable(config, channel)
    for (let pixel = 0; pixel < pixels; pixel++) {
      values[channel * pixels + pixel] = table[picture.bytes[pixel * 3 + channel] ?? 0] ?? 0
    }
  }
  return values
}

/** Computes the normalised value of each possible byte in one channel. */
function computeByteTable(config: PictureConfig, channel: number): Float32Array {
  const mean = Math.fround(config.mean[channel] ?? 0)
  const deviation = Math.fround(config.deviation[channel] ?? 1)
  return Float32Array.from({ length: 256 }, (_, byte) => {
    const rescaled = Math.fround(byte * config.rescaleFactor)
    return Math.fround(rescaled - mean) / deviation
  })
}
