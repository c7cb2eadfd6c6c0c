import sharp from 'sharp'
import { resizeLanczos, type Pixels } from './lanczos.js'
import { labelSide, orderLabel } from './order-labels.js'

/** The size that pictures share, in pixels: their height side by side, their width below each other. */
const side = 1008

/**
 * Several pictures as one, a PNG, with their numbers in the corners: side by side or below each other, whichever is nearer to a square.
 *
 * Source: lmms-eval 0.7.2, `tasks/mmmu/utils_group_img.py`, process_images.
 */
export async function composed(files: readonly Uint8Array[]): Promise<Uint8Array> {
  const pictures = await Promise.all(files.map(decodePixels))
  const beside = pictures.map(({ width, height }) => Math.trunc((width * side) / height))
  const below = pictures.map(({ width, height }) => Math.trunc((height * side) / width))
  const isTall = sum(beside) / side > sum(below) / side
  const resized = pictures.map((picture, at) =>
    isTall ? resizeLanczos(picture, side, below[at] ?? 0) : resizeLanczos(picture, beside[at] ?? 0, side),
  )
  const labelled = await Promise.all(resized.map((picture, at) => withLabel(picture, at + 1)))
  return encodePng(isTall ? stackPictures(labelled) : joinPictures(labelled))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

async function decodePixels(file: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(file, { failOn: 'error' })
    .autoOrient()
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, bytes: data }
}

async function withLabel({ width, height, bytes }: Pixels, number: number): Promise<Pixels> {
  const label = await orderLabel(number)
  const drawn = Uint8Array.from(bytes)
  for (let y = 0; y < Math.min(labelSide, height); y += 1)
    for (let x = 0; x < Math.min(labelSide, width); x += 1) {
      const at = (y * width + x) * 3
      drawn.fill(label[y * labelSide + x] ?? 0, at, at + 3)
    }
  return { width, height, bytes: drawn }
}

const stackPictures = (pictures: readonly Pixels[]): Pixels => ({
  width: side,
  height: sum(pictures.map(({ height }) => height)),
  bytes: Buffer.concat(pictures.map(({ bytes }) => bytes)),
})

function joinPictures(pictures: readonly Pixels[]): Pixels {
  const rows = Array.from({ length: side }, (_, y) =>
    pictures.map(({ width, bytes }) => bytes.subarray(y * width * 3, (y + 1) * width * 3)),
  )
  return { width: sum(pictures.map(({ width }) => width)), height: side, bytes: Buffer.concat(rows.flat()) }
}

const encodePng = ({ width, height, bytes }: Pixels): Promise<Uint8Array> =>
  sharp(bytes, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
