import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readVlmConfig } from '../../../../../stages/model/backends/onnx-vlm/model-config.js'
import { decodePicture, fitPicture, normalisePixels } from '../../../../../stages/model/backends/onnx-vlm/picture.js'
import { goldenJson, hexDigest, picturesOf, questions, tinyvlm, type Question } from './tinyvlm.js'
import { differenceOf, lyingPicture, orientations, quarteredPicture } from '../../../../support/lying-pictures.js'

// Golden: tests/golden/pillow/README.md
const pillow = new URL('../../../../golden/pillow/', import.meta.url)
const { decoded } = JSON.parse(readFileSync(new URL('cases.json', pillow), 'utf8')) as {
  readonly decoded: Readonly<Record<string, { readonly size: readonly number[]; readonly sha256: string }>>
}

describe('decoding', () => {
  test.each(Object.entries(decoded))('%s has the same RGB bytes as in Pillow', async (file, expected) => {
    const picture = await decodePicture(readFileSync(new URL(file, pillow)), file)
    expect([picture.width, picture.height]).toEqual(expected.size)
    expect(hexDigest(picture.bytes)).toBe(expected.sha256)
  })

  // Golden: tests/golden/pillow-rgb/README.md
  test.each([
    ...['print.jpg', 'print.tiff', 'deep-grey.png', 'deep-grey.tiff', 'deep-colour.png', 'grey-alpha.png', 'alpha.png'],
    ...['palette.png', 'bits.png', 'clear-colour.png', 'alpha.webp', 'lossy.webp', 'pages.tiff'],
  ])('%s has the colours of Pillow, also those of print and of 16 bits', async file => {
    const { cases } = JSON.parse(readFileSync(new URL('../pillow-rgb/cases.json', pillow), 'utf8')) as {
      readonly cases: Readonly<Record<string, { readonly size: readonly number[]; readonly rgb: string }>>
    }
    const picture = await decodePicture(readFileSync(new URL(`../pillow-rgb/${file}`, pillow)), file)
    expect([picture.width, picture.height]).toEqual(cases[file]?.size)
    expect(Buffer.from(picture.bytes).toString('base64')).toBe(cases[file]?.rgb)
  })

  test.each(['rgb.png', 'colour.jpg', 'lossless.webp'])('a truncated %s is a permanent media failure', async file => {
    const bytes = readFileSync(new URL(file, pillow))
    const cut = bytes.subarray(0, Math.floor(bytes.length * 0.6))
    await expect(decodePicture(cut, file)).rejects.toMatchObject({ class: 'media', isRetryable: false })
  })

  test.each([
    ['text', Buffer.from('no picture')],
    ['nothing', Buffer.alloc(0)],
  ])('%s is a media failure that is named', async (name, bytes) => {
    await expect(decodePicture(bytes, name)).rejects.toMatchObject({
      class: 'media',
      message: expect.stringContaining(`${name} cannot be read as a picture`) as string,
    })
  })
})

describe('preprocessing', () => {
  interface Pixels {
    readonly items: readonly { readonly id: string; readonly sha256_float32_le: string; readonly resized: boolean }[]
  }

  test('has bit-identical float32 values to the reference, resized or not', async () => {
    const { picture: config } = await readVlmConfig(tinyvlm)
    const rows = [...(await questions('test')), ...(await questions('test_resize'))]
    const byId = new Map(rows.map(row => [row.id, row]))
    const valuesOf = (question: Question) =>
      Promise.all(
        picturesOf(question).map(async bytes => {
          const values = normalisePixels(fitPicture(await decodePicture(bytes, question.id), config), config)
          return new Uint8Array(values.buffer)
        }),
      )
    const { items } = goldenJson<Pixels>('pixels.json')
    for (const item of items) {
      expect(hexDigest(Buffer.concat(await valuesOf(byId.get(item.id)!))), item.id).toBe(item.sha256_float32_le)
    }
    expect(items.filter(item => item.resized)).toHaveLength(6)
  })
})

test.each(['jpeg', 'png', 'webp', 'tiff'] as const)('decodes a %s upright, in each orientation', async format => {
  for (const orientation of orientations) {
    const { bytes, ...size } = await decodePicture(await lyingPicture(quarteredPicture(), orientation, format), 'a')
    expect(differenceOf({ ...size, data: Buffer.from(bytes) }, quarteredPicture())).toBeLessThanOrEqual(8)
  }
})
