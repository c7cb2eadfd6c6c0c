import { roundHalfToEven } from '../../../../base/values/rounding.js'
/** Rules that decide which frames of a video are shown, and how large. */

export interface FrameRules {
  /** The number of frames, spread over the whole video. Ignored if `fps` is set. */
  readonly nframes: number
  /** Frames for each second of the video. */
  readonly fps?: number | undefined
  readonly max_frames: number
  /** The minimum and maximum number of pixels in one frame. */
  readonly min_pixels: number
  readonly max_pixels: number
  /** Width and height are multiples of this. */
  readonly factor: number
  /** `pts`: frames have the times that the file says. Absent: index ÷ average rate. */
  readonly times?: 'pts' | undefined
}

export interface VideoFacts {
  readonly frames: number
  /** The average frame rate, in frames a second. */
  readonly fps: number
  /** The time of each frame in seconds after the first. Absent if all frames are equally far apart. */
  readonly seconds?: readonly number[]
  readonly width: number
  readonly height: number
}

/** A part of a video in seconds. A missing value is the video's own start or end. */
export interface Clip {
  readonly start?: number
  readonly end?: number
}

/** With `fps`, the minimum number of frames, and the number of which they are a multiple. */
const leastByRate = 4
const pair = 2

/** Containers round times to milliseconds, so a constant rate deviates from exact multiples by this much. */
const roundingSeconds = 0.0015

/**
 * Sorts the times of frames, which a file lists in the order of decoding, and counts them from the first.
 *
 * @returns undefined if the rate is constant, or a frame has no time (NaN). Then index and rate tell the time.
 */
export function frameSeconds(times: readonly number[], fps: number): readonly number[] | undefined {
  if (times.length === 0 || times.some(Number.isNaN)) return undefined
  const sorted = times.toSorted((a, b) => a - b)
  const [first = 0] = sorted
  const seconds = sorted.map(time => time - first)
  const isConstant = seconds.every((time, index) => Math.abs(time - index / fps) <= roundingSeconds)
  return isConstant ? undefined : seconds
}

/** The time of a frame in seconds after the first. */
export const secondsOfFrame = ({ seconds, fps }: VideoFacts, index: number): number => seconds?.[index] ?? index / fps

/**
 * Computes the indices of the shown frames, counted from 0. `nframes` are spread evenly over the frames of the video or clip, including
 * its first and last. With `fps` they are spread evenly over its time: if the rate varies, the frame that a player
 * shows at that time is taken.
 *
 * Source: `smart_nframes` and `_read_video_decord` of qwen-vl-utils, which lmms-eval's `async_openai` uses. A video
 * with fewer frames than requested is rejected there. Here, all of its frames are shown. There, times are index ÷ average rate.
 */
export function frameIndices(video: VideoFacts, rules: FrameRules, clip: Clip = {}): readonly number[] {
  const { first, last } = clipEnds(video, clip)
  const total = last - first + 1
  if (!(total > 0)) return []
  const count = frameCount(total, { ...rules, duration: clipSeconds(video, first, last) })
  const { seconds } = video
  if (seconds === undefined || rules.fps === undefined) return evenlySpaced(first, last, count).map(roundHalfToEven)
  const [from, to] = [seconds[first] ?? 0, seconds[last] ?? 0]
  return Array.from({ length: count }, (_, tick) =>
    frameAt(seconds, count === 1 ? from : from + ((to - from) * tick) / (count - 1)),
  )
}

function clipEnds({ frames, fps, seconds }: VideoFacts, { start = 0, end = Infinity }: Clip) {
  if (seconds === undefined)
    return { first: Math.max(0, Math.ceil(start * fps)), last: Math.min(frames - 1, Math.floor(end * fps)) }
  const first = seconds.findIndex(time => time >= start - roundingSeconds)
  return {
    first: first === -1 ? frames : first,
    last: seconds.findLastIndex(time => time <= end + roundingSeconds),
  }
}

/** The time from the beginning of one frame to the end of another. */
function clipSeconds({ frames, fps, seconds }: VideoFacts, first: number, last: number): number {
  if (seconds === undefined) return (last - first + 1) / fps
  const end = seconds[last + 1] ?? Math.max(frames / fps, seconds[last] ?? 0)
  return end - (seconds[first] ?? 0)
}

/** The frame that is shown at a time: the last that has begun. */
function frameAt(seconds: readonly number[], time: number): number {
  let [low, high] = [0, seconds.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((seconds[middle] ?? 0) <= time + roundingSeconds) low = middle
    else high = middle - 1
  }
  return low
}

function frameCount(
  total: number,
  { nframes, fps, max_frames: most, duration }: FrameRules & { readonly duration: number },
): number {
  if (fps === undefined) return Math.max(1, Math.min(nframes, most, total))
  const count = Math.min(Math.max(duration * fps, leastByRate), Math.min(most, total))
  return count < pair ? 1 : pair * Math.floor(count / pair)
}

/** Implements `torch.linspace` in single precision and from both ends, because one bit decides between two frames. */
function evenlySpaced(first: number, last: number, count: number): readonly number[] {
  if (count === 1) return [first]
  const step = Math.fround(Math.fround(last - first) / Math.fround(count - 1))
  return Array.from({ length: count }, (_, index) =>
    index < count / 2
      ? Math.fround(first + Math.fround(step * index))
      : Math.fround(last - Math.fround(step * (count - index - 1))),
  )
}

/**
 * Computes the size of the frames. Both sides are multiples of the factor, and the shape is kept as far as possible.
 *
 * Source: `smart_resize` of qwen-vl-utils.
 */
export function frameSize(
  { width, height }: Pick<VideoFacts, 'width' | 'height'>,
  { factor, min_pixels: least, max_pixels: most }: FrameRules,
): { readonly width: number; readonly height: number } {
  const sides = (fit: (side: number) => number) => ({
    width: Math.max(factor, factor * fit(width / factor)),
    height: Math.max(factor, factor * fit(height / factor)),
  })
  const near = sides(roundHalfToEven)
  const pixels = near.width * near.height
  if (pixels > most) {
    const shrink = Math.sqrt((width * height) / most)
    return sides(side => Math.floor(side / shrink))
  }
  if (pixels >= least) return near
  const grow = Math.sqrt(least / (width * height))
  return sides(side => Math.ceil(side * grow))
}

/** Repeats the last frame if their number is odd, because Qwen3-VL takes frames in pairs. */
export const inPairs = <T>(frames: readonly T[]): readonly T[] => {
  const last = frames.at(-1)
  return frames.length % pair === 0 || last === undefined ? frames : [...frames, last]
}
