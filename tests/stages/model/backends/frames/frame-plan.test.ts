import { describe, expect, test } from 'vitest'
import {
  frameIndices,
  frameSize,
  inPairs,
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

  test('halfway between two, the even one is taken', () => {
    expect(frameIndices({ ...video, frames: 10 }, { ...rules, nframes: 3 })).toEqual([0, 4, 9])
    expect(frameIndices({ ...video, frames: 12 }, { ...rules, nframes: 3 })).toEqual([0, 6, 11])
  })

  test('are no more than there are, and than are allowed', () => {
    expect(frameIndices({ ...video, frames: 3 }, { ...rules, nframes: 8 })).toEqual([0, 1, 2])
    expect(frameIndices(video, { ...rules, nframes: 50, max_frames: 3 })).toHaveLength(3)
  })

  test('are chosen by the rate: at least 4, in pairs', () => {
    expect(frameIndices(video, { ...rules, fps: 2 })).toHaveLength(8)
    expect(frameIndices(video, { ...rules, fps: 0.1 })).toHaveLength(4)
    expect(frameIndices(video, { ...rules, fps: 5, max_frames: 11 })).toHaveLength(10)
    expect(frameIndices({ ...video, frames: 3 }, { ...rules, fps: 2 })).toHaveLength(2)
    expect(frameIndices({ ...video, frames: 1 }, { ...rules, fps: 2 })).toEqual([0])
  })

  test('are those of the clip', () => {
    expect(frameIndices(video, { ...rules, nframes: 3 }, { start: 1, end: 2 })).toEqual([25, 38, 50])
    expect(frameIndices(video, { ...rules, nframes: 2 }, { start: 3 })).toEqual([75, 99])
    expect(frameIndices(video, rules, { start: 9 })).toEqual([])
  })

  test('come in pairs with their times, as Qwen3-VL takes them', () => {
    const rows = goldenRows<Row>('tasks/machinery.jsonl.gz').filter(({ kind }) => kind === 'qwen3_timestamps')
    expect(rows.length).toBeGreaterThan(0)
    for (const { id, input, expected } of rows)
      expect(
        inPairs(input.frames_indices).map(index => index / input.fps),
        id,
      ).toEqual(expected)
    expect(inPairs([])).toEqual([])
  })

  test('have sides that are multiples, and no more pixels than are allowed', () => {
    expect(frameSize({ width: 1920, height: 1080 }, rules)).toEqual({ width: 504, height: 280 })
    expect(frameSize({ width: 100, height: 60 }, rules)).toEqual({ width: 112, height: 56 })
    expect(frameSize({ width: 20, height: 10 }, { ...rules, min_pixels: 3000 })).toEqual({ width: 84, height: 56 })
    expect(frameSize({ width: 1920, height: 1080 }, { ...rules, factor: 32 })).toEqual({ width: 512, height: 288 })
  })
})
