import { describe, expect, test } from 'vitest'
import {
  frameIndices,
  frameSeconds,
  frameSize,
  inPairs,
  secondsOfFrame,
  type FrameRules,
  type VideoFacts,
} from '../../../../../stages/model/backends/frames/frame-plan.js'
import { goldenRows } from '../../../../support/golden.js'

const video: VideoFacts = { frames: 100, fps: 25, width: 640, height: 360 }
const rules: FrameRules = { nframes: 4, max_frames: 768, min_pixels: 784, max_pixels: 151_200, factor: 28 }

interface Row {
  readonly id: string
  readonly kind: string
  readonly input: { readonly frames_indices: readonly number[]; readonly fps: number }
  readonly expected: readonly number[]
}

describe('frames of a video', () => {
  test('are evenly spaced from the first to the last', () => {
    expect(frameIndices(video, rules)).toEqual([0, 33, 66, 99])
    expect(frameIndices({ ...video, frames: 9 }, { ...rules, nframes: 2 })).toEqual([0, 8])
    expect(frameIndices(video, { ...rules, nframes: 1 })).toEqual([0])
  })

  test('halfway between two frames, the even one is chosen', () => {
    expect(frameIndices({ ...video, frames: 10 }, { ...rules, nframes: 3 })).toEqual([0, 4, 9])
    expect(frameIndices({ ...video, frames: 12 }, { ...rules, nframes: 3 })).toEqual([0, 6, 11])
  })

  test('are at most the existing and the allowed number', () => {
    expect(frameIndices({ ...video, frames: 3 }, { ...rules, nframes: 8 })).toEqual([0, 1, 2])
    expect(frameIndices(video, { ...rules, nframes: 50, max_frames: 3 })).toHaveLength(3)
  })

  test('are chosen by rate: at least 4, in pairs', () => {
    expect(frameIndices(video, { ...rules, fps: 2 })).toHaveLength(8)
    expect(frameIndices(video, { ...rules, fps: 0.1 })).toHaveLength(4)
    expect(frameIndices(video, { ...rules, fps: 5, max_frames: 11 })).toHaveLength(10)
    expect(frameIndices({ ...video, frames: 3 }, { ...rules, fps: 2 })).toHaveLength(2)
    expect(frameIndices({ ...video, frames: 1 }, { ...rules, fps: 2 })).toEqual([0])
  })

  test('are limited to the clip', () => {
    expect(frameIndices(video, { ...rules, nframes: 3 }, { start: 1, end: 2 })).toEqual([25, 38, 50])
    expect(frameIndices(video, { ...rules, nframes: 2 }, { start: 3 })).toEqual([75, 99])
    expect(frameIndices(video, rules, { start: 9 })).toEqual([])
  })

  test('come in pairs with their times, as in Qwen3-VL', () => {
    const rows = goldenRows<Row>('tasks/machinery.jsonl.gz').filter(({ kind }) => kind === 'qwen3_timestamps')
    expect(rows.length).toBeGreaterThan(0)
    for (const { id, input, expected } of rows)
      expect(
        inPairs(input.frames_indices).map(index => index / input.fps),
        id,
      ).toEqual(expected)
    expect(inPairs([])).toEqual([])
  })

  test('have sides that are multiples of a unit, and at most the allowed pixels', () => {
    expect(frameSize({ width: 1920, height: 1080 }, rules)).toEqual({ width: 504, height: 280 })
    expect(frameSize({ width: 100, height: 60 }, rules)).toEqual({ width: 112, height: 56 })
    expect(frameSize({ width: 20, height: 10 }, { ...rules, min_pixels: 3000 })).toEqual({ width: 84, height: 56 })
    expect(frameSize({ width: 1920, height: 1080 }, { ...rules, factor: 32 })).toEqual({ width: 512, height: 288 })
  })
})

describe('times of frames', () => {
  /** 20 frames in the first two seconds, then one each second: a screen recording. */
  const times = [
    ...Array.from({ length: 20 }, (_, index) => index / 10),
    ...Array.from({ length: 20 }, (_, n) => n + 2),
  ]
  const recording: VideoFacts = { frames: 40, fps: 40 / 22, width: 640, height: 360, seconds: times }

  test('come from the file if the rate varies, in display order, starting at 0', () => {
    const asDecoded = [7.4, 7, 7.1, 7.2, 9]
    expect(frameSeconds(asDecoded, 5)?.map(time => time.toFixed(1))).toEqual(['0.0', '0.1', '0.2', '0.4', '2.0'])
    expect([0, 13, 26, 39].map(index => secondsOfFrame(recording, index))).toEqual([0, 1.3, 8, 21])
  })

  test.each([24_000 / 1001, 25, 30_000 / 1001, 59.94, 12.5])(
    'are index ÷ rate at a constant rate of %f, even if a container rounds to milliseconds',
    fps => {
      const rounded = Array.from({ length: 5000 }, (_, index) => Math.round(1400 + (index / fps) * 1000) / 1000)
      expect(frameSeconds(rounded, fps)).toBeUndefined()
    },
  )

  test('are index ÷ rate if a frame has no time', () => {
    expect(frameSeconds([0, NaN, 3], 1)).toBeUndefined()
    expect(frameSeconds([], 1)).toBeUndefined()
  })

  test('decide which frames a rate selects: those that a player shows at these times', () => {
    const shown = frameIndices(recording, { ...rules, fps: 0.5 })
    expect(shown.map(index => secondsOfFrame(recording, index))).toEqual([0, 2, 4, 7, 9, 11, 14, 16, 18, 21])
    // By the number of frames, half of them would come from the first two seconds.
    expect(shown.filter(index => index < 20)).toHaveLength(1)
  })

  test('decide which frames belong to a clip', () => {
    expect(frameIndices(recording, { ...rules, nframes: 3 }, { start: 1.85, end: 4 })).toEqual([19, 20, 22])
    expect(frameIndices(recording, rules, { start: 21.5 })).toEqual([])
  })
})
