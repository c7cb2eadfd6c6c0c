import sharp from 'sharp'

export type Point = readonly [x: number, y: number]
export type Colour = readonly [red: number, green: number, blue: number]

/** A picture with three bytes a pixel, row by row. */
interface Pixels {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/**
 * A picture with a closed line of one pixel drawn into it, as a PNG. Corners are in pixels from the left top, cut to whole ones; what lies
 * outside of the picture is left out.
 */
export async function marked(picture: Uint8Array, corners: readonly Point[], colour: Colour): Promise<Uint8Array> {
  const { data, info } = await sharp(picture, { failOn: 'error' })
    .autoOrient()
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const whole = corners.map(([x, y]): Point => [Math.trunc(x), Math.trunc(y)])
  for (const [at, corner] of whole.entries()) {
    const next = whole[(at + 1) % whole.length] ?? corner
    for (const point of lineBetween(corner, next)) paint({ data, width, height }, point, colour)
  }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer()
}

/** The pixels from one point to another, without the last. Source: Bresenham 1965, in the form of Pillow's `Draw.c`. */
function* lineBetween([x, y]: Point, [toX, toY]: Point): Generator<Point> {
  const [width, height] = [Math.abs(toX - x), Math.abs(toY - y)]
  const [stepX, stepY] = [toX < x ? -1 : 1, toY < y ? -1 : 1]
  const isFlat = width > height
  const [long, short] = isFlat ? [width, height] : [height, width]
  let error = 2 * short - long
  for (let step = 0; step < long; step += 1) {
    yield [x, y]
    const turns = error >= 0 && short > 0
    if (turns) error -= 2 * long
    error += 2 * short
    if (isFlat || turns) x += stepX
    if (!isFlat || turns) y += stepY
  }
}

function paint({ data, width, height }: Pixels, [x, y]: Point, colour: Colour): void {
  if (x < 0 || y < 0 || x >= width || y >= height) return
  data.set(colour, 3 * (y * width + x))
}
