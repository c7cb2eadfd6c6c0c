import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type HeicChange,
  type HeicPicture,
  readHeicPicture,
  UnknownHeicError,
} from '../../../../base/media/heic-items.js'
import { pictureSize } from '../../../../base/media/picture-size.js'
import { mostPixels } from './rgb-picture.js'

/** Runs ffmpeg with arguments. */
type RunFfmpeg = (args: readonly string[]) => Promise<void>

/** The names of matrices in ffmpeg's filter, by their number in ITU-T H.273. */
const matrices: Readonly<Record<number, string>> = { 1: 'bt709', 5: 'bt601', 6: 'bt601', 9: 'bt2020' }

/**
 * Writes the picture that a HEIC file shows as PNG: its tiles joined, cropped, turned and flipped as the file says, in RGB of 8 bits. ffmpeg
 * decodes the tiles. Many of its versions neither open such a file nor join the tiles.
 *
 * @throws Error with the reason if that cannot be done
 */
export async function convertHeic(
  path: string,
  { file, folder, run }: { readonly file: string; readonly folder: string; readonly run: RunFfmpeg },
): Promise<void> {
  const picture = readPicture(await readFile(path))
  const { width, height } = picture
  if (!(width > 0 && height > 0 && width * height <= mostPixels)) throw new Error(`it has ${width} × ${height} pixels`)
  const stream = join(folder, 'tiles.hevc')
  await writeFile(stream, picture.stream)
  const steps = [{ type: 'crop' as const, width, height, x: 0, y: 0 }, ...moveCropsToCorner(picture)]
  const filters = [
    `tile=${picture.columns}x${picture.rows}`,
    ...steps.map(formatChange),
    `scale=flags=bicubic+accurate_rnd+full_chroma_int+bitexact${formatColours(picture)}`,
    'format=rgb24',
  ]
  await run([
    ...['-max_pixels', String(mostPixels), '-protocol_whitelist', 'file', '-format_whitelist', 'hevc'],
    ...['-f', 'hevc', '-i', stream, '-vf', filters.join(','), '-frames:v', '1', '-c:v', 'png', '-f', 'image2', file],
  ])
  const convertedSize = pictureSize(await readFile(file))
  const expected = steps.reduce(changeSize, { width, height })
  if (convertedSize?.width !== expected.width || convertedSize.height !== expected.height)
    throw new Error('its tiles do not fit together')
}

function readPicture(bytes: Buffer): HeicPicture {
  try {
    return readHeicPicture(bytes)
  } catch (error) {
    if (error instanceof UnknownHeicError)
      throw new Error(`${error.message}. Store it as JPEG or PNG`, { cause: error })
    if (error instanceof RangeError) throw new Error('it is damaged', { cause: error })
    throw error
  }
}

/** Gives crops the corner in place of the centre. */
function moveCropsToCorner({ width, height, changes }: HeicPicture): readonly HeicChange[] {
  let size = { width, height }
  return changes.map(change => {
    const within = size
    size = changeSize(size, change)
    if (change.type !== 'crop') return change
    const x = Math.round((within.width - change.width) / 2 + change.x)
    const y = Math.round((within.height - change.height) / 2 + change.y)
    return { ...change, ...size, x, y }
  })
}

interface Size {
  readonly width: number
  readonly height: number
}

function changeSize({ width, height }: Size, change: HeicChange): Size {
  if (change.type === 'crop') return { width: Math.round(change.width), height: Math.round(change.height) }
  return change.type === 'turn' && change.quarters % 2 === 1 ? { width: height, height: width } : { width, height }
}

function formatChange(change: HeicChange): string {
  switch (change.type) {
    case 'crop':
      return `crop=${change.width}:${change.height}:${change.x}:${change.y}:exact=1`
    case 'flip':
      return change.axis === 'vertical' ? 'vflip' : 'hflip'
    case 'turn':
      return ['null', 'transpose=cclock', 'hflip,vflip', 'transpose=clock'][change.quarters] ?? 'null'
  }
}

function formatColours({ colours }: HeicPicture): string {
  const matrix = colours && matrices[colours.matrix]
  const range = colours === undefined ? '' : `:in_range=${colours.isFullRange ? 'full' : 'limited'}`
  return `${range}${matrix === undefined ? '' : `:in_color_matrix=${matrix}`}`
}
