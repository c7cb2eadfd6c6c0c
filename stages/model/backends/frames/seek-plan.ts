/** The packets of a video, by which single frames are found without decoding all. */
export interface PacketTimes {
  /** The time of each shown frame in units of `tick`, in the order of the file. */
  readonly ticks: readonly number[]
  /** The times of keyframes, in the order of the file. */
  readonly keys: readonly number[]
  /** The unit of times, in seconds. */
  readonly tick: number
}

/** Frames that are decoded together, from one keyframe on. */
export interface SoughtGroup {
  /** The time of the keyframe. Absent: from the start of the video. */
  readonly key?: number
  /** The times of the wanted frames, ascending. */
  readonly ticks: readonly number[]
}

/** Opening a file once more costs as much as decoding this many pixels. */
const openingPixels = 8_000_000
/** Seeking is tried if it saves at least half of the decoding, because it may fail and everything be decoded after all. */
const worthTrying = 0.5

/**
 * Groups the wanted frames by the keyframe before each. Groups that are near each other become one.
 *
 * @param indices ascending, without duplicates
 * @returns undefined if frames cannot be found by their time, or decoding from the start costs little more
 */
export function planSeeks(
  { ticks, keys }: PacketTimes,
  { indices, pixels }: { readonly indices: readonly number[]; readonly pixels: number },
): readonly SoughtGroup[] | undefined {
  const sorted = Float64Array.from(ticks).sort()
  // The decoder leaves out frames that precede the first keyframe, so that numbers of frames are not those of packets.
  if (sorted[0] !== ticks[0] || ticks[0] !== keys[0] || hasDuplicates(sorted)) return undefined
  const starts = Float64Array.from(new Set(keys))
    .sort()
    .map(key => findLast(sorted, key))
  const opening = Math.max(1, Math.ceil(openingPixels / pixels))
  const groups: { start: number; end: number; wanted: number[] }[] = []
  for (const index of indices) {
    const start = starts[findLast(starts, index)] ?? 0
    const last = groups.at(-1)
    if (last !== undefined && Math.min(index - last.end, index) <= index - start + opening) {
      last.wanted.push(index)
      last.end = index
    } else groups.push({ start, end: index, wanted: [index] })
  }
  const cost = groups.reduce((sum, { start, end }) => sum + end - start + 1 + opening, 0)
  if (cost > worthTrying * ((indices.at(-1) ?? 0) + 1)) return undefined
  return groups.map(({ start, wanted }) => ({
    ...(start > 0 && { key: sorted[start] ?? NaN }),
    ticks: wanted.map(index => sorted[index] ?? NaN),
  }))
}

const hasDuplicates = (sorted: Float64Array): boolean =>
  sorted.some((time, index) => index > 0 && time === sorted[index - 1])

/** The last position whose value is not above a limit, or 0. */
function findLast(sorted: Float64Array, limit: number): number {
  let [low, high] = [0, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? Infinity) <= limit) low = middle
    else high = middle - 1
  }
  return low
}
