import sharp from 'sharp'

/** Three bytes for each pixel, row by row. */
export interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

/** A picture in which no two quarters are alike. Blocks of 8 pixels survive the compression of JPEG. */
export function quarteredPicture(width = 48, height = 32): Pixels {
  const data = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      data.set([x < width / 2 ? 200 : 40, y < height / 2 ? 200 : 40, x < 8 && y < 8 ? 255 : 90], (y * width + x) * 3)
  return { data, width, height }
}

/** Where the pixel of an upright picture is in a stored one of so many pixels. Source: Exif 2.32, tag 0x0112. */
const storedPlace: Readonly<Record<number, (x: number, y: number, w: number, h: number) => readonly [number, number]>> =
  {
    1: (x, y) => [x, y],
    2: (x, y, w) => [w - 1 - x, y],
    3: (x, y, w, h) => [w - 1 - x, h - 1 - y],
    4: (x, y, _, h) => [x, h - 1 - y],
    5: (x, y) => [y, x],
    6: (x, y, _, h) => [y, h - 1 - x],
    7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
    8: (x, y, w) => [w - 1 - y, x],
  }

export const orientations = [1, 2, 3, 4, 5, 6, 7, 8] as const

/** Stores a picture as a camera does that was held in this orientation: other pixels, and a tag that says so. */
export async function lyingPicture(
  { data, width, height }: Pixels,
  orientation: number,
  format: 'jpeg' | 'png' | 'webp' | 'tiff',
): Promise<Buffer> {
  const [w, h] = orientation < 5 ? [width, height] : [height, width]
  const stored = Buffer.alloc(data.length)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [sx, sy] = storedPlace[orientation]!(x, y, w, h)
      data.copy(stored, (sy * w + sx) * 3, (y * width + x) * 3, (y * width + x) * 3 + 3)
    }
  const picture = sharp(stored, { raw: { width: w, height: h, channels: 3 } }).withMetadata({ orientation })
  if (format === 'jpeg') return picture.jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()
  if (format === 'webp') return picture.webp({ lossless: true }).toBuffer()
  return format === 'png' ? picture.png().toBuffer() : picture.tiff({ compression: 'deflate' }).toBuffer()
}

/** The stored pixels of a file, whatever its metadata say. */
export async function pixelsOf(bytes: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** The largest difference of two pictures in one colour of a pixel; Infinity if their sizes differ. */
export function differenceOf(one: Pixels, other: Pixels): number {
  if (one.width !== other.width || one.height !== other.height) return Infinity
  return one.data.reduce((most, value, at) => Math.max(most, Math.abs(value - (other.data[at] ?? 0))), 0)
}
