import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { Sharp, SharpInput } from 'sharp'
import { type GifFrame, readGifFrame } from './gif-frame.js'

/** Pillow rejects pictures with more pixels, as they are probably decompression bombs. */
export const mostPixels = 178_956_970

interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/**
 * Makes a PNG of the pixels that Pillow's `convert('RGB')` gives, which lmms-eval sends: 8 bits a colour, the first frame, transparency
 * dropped, without colour profile, not turned.
 *
 * @throws Error if the picture cannot be decoded
 */
export async function writeRgbPicture(path: string, format: string): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  const open = (input: SharpInput): Sharp =>
    sharp(input, { failOn: 'error', limitInputPixels: mostPixels, ignoreIcc: true, pages: 1 })
  const frame = format === 'gif' ? readGifFrame(await readFile(path)) : undefined
  const pixels = await readRgbPixels(open(frame?.opaque ?? path))
  const { data, width, height } = frame === undefined ? pixels : await surround(pixels, frame)
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

/** Paints what the frame of a GIF does not cover. */
async function surround(pixels: Pixels, { left, top, width, height, outside }: GifFrame): Promise<Pixels> {
  const isInside = (x: number, y: number): boolean => x >= left && x < left + width && y >= top && y < top + height
  if (left <= 0 && top <= 0 && width >= pixels.width && height >= pixels.height) return pixels
  return paint(pixels, (pixel, colour) => {
    const [x, y] = [pixel % pixels.width, Math.floor(pixel / pixels.width)]
    return isInside(x, y) ? (pixels.data[pixel * 3 + colour] ?? 0) : (outside[colour] ?? 0)
  })
}

/** Reads the pixels that Pillow's `convert('RGB')` gives: three bytes for each, row by row. */
export async function readRgbPixels(picture: Sharp): Promise<Pixels> {
  const { space, depth, channels } = await picture.metadata()
  if (space === 'cmyk') return readPrint(picture)
  if (depth === 'ushort' && channels === 1) return readDeepGrey(picture)
  const { data, info } = await picture
    .removeAlpha()
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels === 3) return { data, width: info.width, height: info.height }
  return paint(info, pixel => data[pixel * info.channels] ?? 0)
}

/** Converts the four colours of print without a profile. Source: Pillow, `src/libImaging/Convert.c`, `cmyk2rgb`. */
async function readPrint(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture
    .pipelineColourspace('cmyk')
    .toColourspace('cmyk')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return paint(info, (pixel, colour) => {
    const white = 255 - (data[pixel * info.channels + 3] ?? 0)
    const product = (data[pixel * info.channels + colour] ?? 0) * white + 128
    return Math.max(0, white - ((product + (product >> 8)) >> 8))
  })
}

/** Cuts plain grey of 16 bits at 255, as Pillow does (`I;16`). Of other pictures of 16 bits, the library keeps the high byte. */
async function readDeepGrey(picture: Sharp): Promise<Pixels> {
  const { data, info } = await picture
    .pipelineColourspace('grey16')
    .toColourspace('grey16')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  return paint(info, pixel => Math.min(data.readUInt16LE(pixel * info.channels * 2), 255))
}

/** The number of pixels that are painted before other work gets its turn. */
const pixelsAtOnce = 256 * 1024

async function paint(
  { width, height }: { readonly width: number; readonly height: number },
  colourAt: (pixel: number, colour: number) => number,
): Promise<Pixels> {
  const data = Buffer.alloc(width * height * 3)
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    for (let colour = 0; colour < 3; colour += 1) data[pixel * 3 + colour] = colourAt(pixel, colour)
    if (pixel % pixelsAtOnce === pixelsAtOnce - 1) await setImmediate()
  }
  return { data, width, height }
}
