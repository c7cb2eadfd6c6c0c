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
}

export interface VideoFacts {
  readonly frames: number
  /** The average frame rate, in frames a second. */
  readonly fps: number
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

/**
 * Computes the indices of the shown frames, counted from 0. They are spread evenly over the video or clip, including
 * its first and last frame.
 *
 * Source: `smart_nframes` and `_read_video_decord` of qwen-vl-utils, which lmms-eval's `async_openai` uses. A video
 * with fewer frames than requested is rejected there. Here, all of its frames are shown.
 */
export function frameIndices(video: VideoFacts, rules: FrameRules, clip: Clip = {}): readonly number[] {
  const first = Math.max(0, Math.ceil((clip.start ?? 0) * video.fps))
  const last = Math.min(video.frames - 1, clip.end === undefined ? Infinity : Math.floor(clip.end * video.fps))
  const total = last - first + 1
  if (!(total > 0)) return []
  return evenlySpaced(first, last, frameCount(total, video.fps, rules)).map(roundHalfToEven)
}

function frameCount(total: number, videoFps: number, { nframes, fps, max_frames: most }: FrameRules): number {
  if (fps === undefined) return Math.max(1, Math.min(nframes, most, total))
  const wanted = (total / videoFps) * fps
  const count = Math.min(Math.max(wanted, leastByRate), Math.min(most, total))
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

function roundHalfToEven(value: number): number {
  const down = Math.floor(value)
  if (value - down !== 0.5) return Math.round(value)
  return down % 2 === 0 ? down : down + 1
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
