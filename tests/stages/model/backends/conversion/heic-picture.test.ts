import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readHeicPicture, UnknownHeicError } from '../../../../../base/media/heic-items.js'
import { sniffMediaType } from '../../../../../base/media/media-type.js'
import { convertFile } from '../../../../../stages/model/backends/conversion/convert-file.js'
import { hasFfmpeg } from '../../../../support/framed-videos.js'
import { between, seededRandom } from '../../../../support/seeded.js'
import { temporaryFolder } from '../../../../support/store.js'

// Golden: tests/golden/heic/README.md
const pictures = join(import.meta.dirname, '../../../../golden/heic')
const golden = JSON.parse(gunzipSync(readFileSync(join(pictures, 'cases.json.gz'))).toString()) as {
  readonly cases: Readonly<Record<string, { readonly size: readonly [number, number]; readonly rgb: string }>>
}
/** Decoders upsample the colours of these pictures differently. The largest difference is at an edge. */
const enlarged: Readonly<Record<string, { readonly most: number; readonly mean: number }>> = {
  'plain.heic': { most: 32, mean: 2.5 },
  'tiles.heic': { most: 32, mean: 1.5 },
}
const equal = { most: 1, mean: 0.01 }

async function convert(path: string): Promise<string> {
  const type = sniffMediaType(await readFile(path))
  expect(type).toEqual({ kind: 'image', mime: 'image/heic', format: 'heic' })
  const folder = await temporaryFolder()
  return convertFile(path, { type: type!, to: 'png', folder, signal: new AbortController().signal })
}

describe.skipIf(!hasFfmpeg)('a HEIC picture is converted to PNG (needs the system package ffmpeg)', () => {
  test.each(Object.entries(golden.cases))('%s', async (name, { size, rgb }) => {
    const file = await convert(join(pictures, name))
    const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, info.channels]).toEqual([...size, 3])
    const differences = [...Buffer.from(rgb, 'base64')].map((colour, index) => Math.abs(colour - (data[index] ?? 0)))
    const { most, mean } = enlarged[name] ?? equal
    expect(Math.max(...differences)).toBeLessThanOrEqual(most)
    expect(differences.reduce((sum, value) => sum + value, 0) / differences.length).toBeLessThanOrEqual(mean)
  })

  test.each([
    [
      'a tile that is damaged',
      'tiles.heic',
      (bytes: Buffer) => bytes.fill(0xff, bytes.length - 900, bytes.length - 600),
    ],
    ['an end that is missing', 'tiles.heic', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
  ])('is rejected for %s', async (_, name, damage) => {
    const path = join(await temporaryFolder(), 'picture')
    await writeFile(path, damage(await readFile(join(pictures, name))))
    await expect(convert(path)).rejects.toThrow(/damaged|ffmpeg/)
  })
})

test('rejects an unsupported kind of HEIC picture and says what to do', async () => {
  const bytes = await readFile(join(pictures, 'tiles.heic'))
  bytes.write('iovl', bytes.indexOf('grid'), 'latin1')
  const path = join(await temporaryFolder(), 'overlay')
  await writeFile(path, bytes)
  await expect(convert(path)).rejects.toThrow('its pictures are of the type iovl. Store it as JPEG or PNG')
})

test('reads modified files or rejects them for a known reason', async () => {
  const random = seededRandom(5)
  const whole = await readFile(join(pictures, 'tiles.heic'))
  let refused = 0
  for (let round = 0; round < 2000; round += 1) {
    const bytes = Buffer.from(whole.subarray(0, between(random, 1, whole.length)))
    // Most of the file are coded tiles, which are not read.
    for (let change = 0; change < 4; change += 1)
      bytes[between(random, 0, Math.min(1000, bytes.length) - 1)] = between(random, 0, 255)
    try {
      readHeicPicture(bytes)
    } catch (error) {
      refused += 1
      if (!(error instanceof RangeError || error instanceof UnknownHeicError)) throw error
    }
  }
  expect(refused).toBeGreaterThan(1000)
})

test('distinguishes HEIC from AVIF by the compatible brands', () => {
  const head = (brands: string): Buffer => Buffer.from(`\0\0\0\x1cftyp${brands}`, 'latin1')
  expect(sniffMediaType(head('mif1\0\0\0\0mif1heic'))?.format).toBe('heic')
  expect(sniffMediaType(head('mif1\0\0\0\0mif1avif'))?.format).toBe('avif')
  expect(sniffMediaType(head('heix\0\0\0\0mif1heix'))?.format).toBe('heic')
})
