import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import type { Doc, EditedMedium } from '../../stages/input/tasks/doc.js'
import { withBox, withOutline } from '../../tasks/refcoco/utils.js'
import { captionOptions } from '../support/golden-captions.js'
import { testGoldenTask } from '../support/golden-task.js'
import { goldenRows } from '../support/golden.js'

testGoldenTask('refcoco', captionOptions('refcoco'))

/** A row of `tests/golden/drawing/`: see the README there. */
interface Outline {
  readonly shape: 'box' | 'outline'
  readonly size: readonly [number, number]
  readonly pixels: readonly string[]
}

const dark = { r: 0, g: 0, b: 0 }

async function pixelsOf({ medium, edit }: EditedMedium): Promise<readonly (readonly number[])[]> {
  const { data, info } = await sharp(await edit(medium as Uint8Array, []))
    .raw()
    .toBuffer({ resolveWithObject: true })
  expect(info.channels).toBe(3)
  return Array.from({ length: info.width * info.height }, (_, at) => [...data.subarray(3 * at, 3 * at + 3)])
}

test('draws boxes and outlines with the same pixels as Pillow', async () => {
  const rows = goldenRows<Outline & Doc>('drawing/outlines.jsonl.gz')
  expect(rows.length).toBe(24)
  for (const row of rows) {
    const [width, height] = row.size
    const image = await sharp({ create: { width, height, channels: 3, background: dark } })
      .png()
      .toBuffer()
    const shown = await pixelsOf(row.shape === 'box' ? withBox({ ...row, image }) : withOutline({ ...row, image }))
    const colour = row.shape === 'box' ? [255, 0, 0] : [255, 255, 255]
    const expected = Array.from(row.pixels.join(''), pixel => (pixel === '#' ? colour : [0, 0, 0]))
    expect(shown).toEqual(expected)
  }
})

test('converts grey and transparent pictures to RGB', async () => {
  const box = { bbox: [0, 0, 1, 0] }
  for (const make of [(picture: Sharp) => picture.toColourspace('b-w'), (picture: Sharp) => picture.ensureAlpha(0.5)]) {
    const blank = sharp({ create: { width: 2, height: 1, channels: 3, background: dark } })
    const shown = await pixelsOf(withBox({ ...box, image: await make(blank).png().toBuffer() }))
    expect(shown).toEqual([
      [255, 0, 0],
      [255, 0, 0],
    ])
  }
})

test('names the field of a doc whose box is invalid', () => {
  expect(() => withBox({ bbox: [1, 2, 3], image: null })).toThrow('the field "bbox" must be four numbers')
  expect(() => withOutline({ segmentation: 'x', image: null })).toThrow('the field "segmentation" must be a list')
})
