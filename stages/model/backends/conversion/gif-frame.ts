/** The first frame of a GIF, and what surrounds it. */
export interface GifFrame {
  /** The file with a first frame in which no colour is transparent. */
  readonly opaque: Buffer
  /** The rectangle of the frame within the picture, in pixels. */
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** The colour that Pillow shows around the frame: red, green and blue. */
  readonly outside: readonly [number, number, number]
}

const extension = 0x21
const graphicControl = 0xf9
const imageStart = 0x2c

/**
 * Reads where the first frame of a GIF is, and makes its transparent colour visible: Pillow's `convert('RGB')` shows the palette's colour there, and fills what
 * the frame does not cover with the transparent colour, else with the first one.
 *
 * Source: GIF89a specification, sections 18 to 23; Pillow, `GifImagePlugin.py`, `load_prepare`.
 *
 * @returns undefined if it has no frame
 * @throws RangeError if the file ends before its first frame
 */
export function readGifFrame(file: Buffer): GifFrame | undefined {
  const opaque = Buffer.from(file)
  const screen = file.readUInt8(10)
  const screenPalette = (screen & 0x80) === 0 ? undefined : 13
  let at = 13 + (screenPalette === undefined ? 0 : paletteBytes(screen))
  let transparent: number | undefined
  while (file.readUInt8(at) === extension) {
    if (file.readUInt8(at + 1) === graphicControl && (file.readUInt8(at + 3) & 1) === 1) {
      transparent = file.readUInt8(at + 6)
      opaque[at + 3] = file.readUInt8(at + 3) & 0xfe
    }
    at = skipBlocks(file, at + 2)
  }
  if (file.readUInt8(at) !== imageStart) return undefined
  const [left, top, width, height] = [1, 3, 5, 7].map(field => file.readUInt16LE(at + field))
  const palette = (file.readUInt8(at + 9) & 0x80) === 0 ? screenPalette : at + 10
  const index = transparent ?? 0
  const colour = (channel: number): number =>
    palette === undefined ? index : file.readUInt8(palette + 3 * index + channel)
  return {
    ...{ opaque, left: left ?? 0, top: top ?? 0, width: width ?? 0, height: height ?? 0 },
    outside: [colour(0), colour(1), colour(2)],
  }
}

const paletteBytes = (flags: number): number => 3 * 2 ** ((flags & 7) + 1)

/** Returns the position after a list of blocks, which an empty one ends. */
function skipBlocks(file: Buffer, start: number): number {
  let at = start
  for (let size = file.readUInt8(at); size > 0; size = file.readUInt8(at)) at += 1 + size
  return at + 1
}
