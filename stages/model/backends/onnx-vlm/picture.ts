import sharp from 'sharp'
import { messageOf } from '../../../../base/errors/errors.js'
import { AttemptError } from '../../model.js'
import type { PictureConfig } from './model-config.js'
import { resizeBilinear, type RgbPicture } from './resample.js'

/** Pillow refuses to open what is larger than twice this without a warning: likely a decompression bomb. */
const maxPixels = 89_478_485

/**
 * Decodes PNG, JPEG, WebP, GIF (first frame), TIFF to RGB as Pillow's `convert("RGB")` does: alpha is dropped, not
 * blended; grey is repeated; a colour profile and the orientation tag are not applied.
 *
 * @throws AttemptError `media` where the bytes are no picture, are cut short, or hold too many pixels.
 */
export async function decodePicture(bytes: Uint8Array, name: string): Promise<RgbPicture> {
  try {
    const { data, info } = await sharp(bytes, { failOn: 'error', ignoreIcc: true, limitInputPixels: maxPixels })
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, bytes: toRgb(data, info.channels) }
  } catch (error) {
    const why = messageOf(error)
    throw new AttemptError('media', `${name} cannot be read as a picture: ${why}`, { isRetryable: false, cause: error })
  }
}

function toRgb(data: Uint8Array, channels: number): Uint8Array {
  if (channels === 3) return data
  if (channels !== 1) throw new Error(`${channels} colour channels, 1 or 3 were expected`)
  const rgb = new Uint8Array(data.length * 3)
  data.forEach((grey, i) => rgb.fill(grey, i * 3, i * 3 + 3))
  return rgb
}

/**
 * The picture at the size that the vision encoder takes: first scaled to the processor's longest edge (the other edge in
 * proportion, rounded down, then up to an even number), then to a square without regard to proportions.
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
 * Normalised values in the order channel, row, column, equal to the reference's float32 to the bit: each of its steps
 * (rescale, subtract the mean, divide by the deviation) rounds to float32.
 */
export function normalisePixels(picture: RgbPicture, config: PictureConfig): Float32Array {
  const pixels = picture.width * picture.height
  const values = new Float32Array(pixels * 3)
  for (let channel = 0; channel < 3; channel++) {
    const table = normalised(config, channel)
    for (let pixel = 0; pixel < pixels; pixel++) {
      values[channel * pixels + pixel] = table[picture.bytes[pixel * 3 + channel] ?? 0] ?? 0
    }
  }
  return values
}

/** The value of each byte in one channel. */
function normalised(config: PictureConfig, channel: number): Float32Array {
  const mean = Math.fround(config.mean[channel] ?? 0)
  const deviation = Math.fround(config.deviation[channel] ?? 1)
  return Float32Array.from({ length: 256 }, (_, byte) => {
    const rescaled = Math.fround(byte * config.rescaleFactor)
    return Math.fround(rescaled - mean) / deviation
  })
}
