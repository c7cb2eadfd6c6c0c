import { expect, test } from 'vitest'
import { planSeeks } from '../../../../../stages/model/backends/frames/seek-plan.js'

/** 90,000 frames, each 512 units after the one before, and a keyframe every 250. */
const ticks = Array.from({ length: 90_000 }, (_, index) => index * 512)
const keys = ticks.filter((_, index) => index % 250 === 0)
const packets = { ticks, keys, tick: 1 / 12_800 }
const pixels = 320 * 180

test('seeks to each wanted frame from the keyframe before it', () => {
  expect(planSeeks(packets, { indices: [249, 30_100, 89_999], pixels })).toEqual([
    { ticks: [249 * 512] },
    { key: 30_000 * 512, ticks: [30_100 * 512] },
    { key: 89_750 * 512, ticks: [89_999 * 512] },
  ])
})

test('decodes nearby frames together', () => {
  expect(planSeeks(packets, { indices: [60_010, 60_200, 60_260], pixels })).toEqual([
    { key: 60_000 * 512, ticks: [60_010 * 512, 60_200 * 512, 60_260 * 512] },
  ])
})

test('accepts times in decoding order, and counts frames in display order', () => {
  const moved = (index: number): number =>
    [index % 2 === 0 ? index - 1 : index + 1, index][Number([0, 249].includes(index % 250))]!
  const reordered = ticks.map((_, index) => moved(index) * 512)
  expect(reordered.slice(0, 4)).toEqual([0, 1024, 512, 2048])
  expect(planSeeks({ ...packets, ticks: reordered }, { indices: [50_001], pixels })).toEqual([
    { key: 50_000 * 512, ticks: [50_001 * 512] },
  ])
})

test.each([
  ['most of the video is needed anyway', packets, [0, 100, 200]],
  ['two packets have one time', { ...packets, ticks: [...ticks, 512] }, [80_000]],
  ['the video does not begin with a keyframe', { ...packets, keys: keys.slice(1) }, [80_000]],
  ['pictures precede the first keyframe', { ...packets, ticks: [0, -512, ...ticks.slice(1)] }, [80_000]],
])('decodes from the start if %s', (_, of, indices) => {
  expect(planSeeks(of, { indices, pixels })).toBeUndefined()
})
