/** A picture in memory: rows from the top, three bytes a pixel. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/**
 * Resizes as Pillow's `Image.resize(size, LANCZOS)` does, to the byte: along one axis after the other, in fixed point. Source of the
 * algorithm: Pillow 13, `src/libImaging/Resample.c`.
 */
export function resizeLanczos(picture: Pixels, width: number, height: number): Pixels {
  const rowsFirst = height < picture.height && picture.height - height > 2 * (picture.width - width)
  return rowsFirst
    ? resizeColumns(resizeRows(picture, height), width)
    : resizeRows(resizeColumns(picture, width), height)
}

/** 32 bits, less 8 for the result and 2 for what goes beyond it. */
const precision = 22
const reach = 3

/** One pixel of the output: the first pixel of the input that it is made of, and the shares of that and the following ones. */
interface Taps {
  readonly first: number
  readonly shares: Int32Array
}

function taps(inputSize: number, outputSize: number): readonly Taps[] {
  const scale = inputSize / outputSize
  const widening = Math.max(1, scale)
  const support = reach * widening
  return Array.from({ length: outputSize }, (_, place) => {
    const centre = (place + 0.5) * scale
    const first = Math.max(0, Math.trunc(centre - support + 0.5))
    const end = Math.min(inputSize, Math.trunc(centre + support + 0.5))
    // Multiplying by the inverse, as Pillow does, rounds differently from dividing.
    const inverse = 1 / widening
    const shares = Array.from({ length: end - first }, (_share, x) => lanczos((x + first - centre + 0.5) * inverse))
    return { first, shares: fixedPoint(shares) }
  })
}

const lanczos = (x: number): number => (x >= -reach && x < reach ? sinc(x) * sinc(x / reach) : 0)

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(x * Math.PI) / (x * Math.PI))

function fixedPoint(shares: readonly number[]): Int32Array {
  const sum = shares.reduce((total, share) => total + share, 0)
  return Int32Array.from(shares, share => {
    const scaled = (sum === 0 ? share : share / sum) * (1 << precision)
    return Math.trunc(scaled < 0 ? scaled - 0.5 : scaled + 0.5)
  })
}

function resizeColumns(picture: Pixels, width: number): Pixels {
  if (width === picture.width) return picture
  const places = taps(picture.width, width)
  const bytes = new Uint8Array(width * picture.height * 3)
  for (let y = 0; y < picture.height; y += 1)
    places.forEach(({ first, shares }, x) => {
      const from = (y * picture.width + first) * 3
      for (let channel = 0; channel < 3; channel += 1)
        bytes[(y * width + x) * 3 + channel] = computeWeightedSum(picture.bytes, shares, {
          from: from + channel,
          step: 3,
        })
    })
  return { width, height: picture.height, bytes }
}

function resizeRows(picture: Pixels, height: number): Pixels {
  if (height === picture.height) return picture
  const row = picture.width * 3
  const bytes = new Uint8Array(row * height)
  taps(picture.height, height).forEach(({ first, shares }, y) => {
    for (let at = 0; at < row; at += 1)
      bytes[y * row + at] = computeWeightedSum(picture.bytes, shares, { from: first * row + at, step: row })
  })
  return { width: picture.width, height, bytes }
}

function computeWeightedSum(
  bytes: Uint8Array,
  shares: Int32Array,
  { from, step }: { readonly from: number; readonly step: number },
): number {
  let sum = 1 << (precision - 1)
  for (let at = 0; at < shares.length; at += 1) sum += (bytes[from + at * step] ?? 0) * (shares[at] ?? 0)
  return Math.min(255, Math.max(0, sum >> precision))
}
