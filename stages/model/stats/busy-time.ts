import { growingColumn, type GrowingColumn } from '../../../base/growing-column.js'

/** Spans of time in which at least one request was waiting or under way, ascending, apart from each other. Milliseconds. */
export interface BusyTime {
  readonly from: Moments
  readonly to: Moments
  /** Busy milliseconds before each span. */
  readonly before: Moments
  /** Of all spans together. */
  readonly total: number
}

/** One a span: of requests that are asked one by one there are as many. */
type Moments = Pick<GrowingColumn, 'length' | 'at'>

/**
 * The union of intervals. What lies between, when no process lived or there was nothing to ask, is no part of it.
 *
 * @param starts ascending
 * @param ends of the same intervals, ascending: which of them belong together makes no difference
 */
export function busyTime(starts: Float64Array, ends: Float64Array): BusyTime {
  const [from, to, before] = [growingColumn(), growingColumn(), growingColumn()]
  let total = 0
  let first = 0
  for (let ended = 1; ended <= ends.length; ended += 1) {
    const end = ends[ended - 1] ?? 0
    // One that began by then is under way still, or follows at once.
    if (ended < starts.length && (starts[ended] ?? 0) <= end) continue
    const start = starts[first] ?? 0
    from.push(start)
    to.push(end)
    before.push(total)
    total += end - start
    first = ended
  }
  return { from, to, before, total }
}

/** How much busy time lies before a moment: its place on an axis from which all idle time is cut. */
export function busyBefore({ from, to, before }: BusyTime, moment: number): number {
  let [low, high] = [0, from.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (from.at(middle) <= moment) low = middle + 1
    else high = middle
  }
  const span = low - 1
  return span < 0 ? 0 : before.at(span) + Math.min(moment, to.at(span)) - from.at(span)
}

/** A stretch without work: how much busy time was before it, and how long it lasted. Milliseconds. */
export interface Pause {
  readonly at: number
  readonly lasted: number
}

/** Stretches without work of at least so many milliseconds, in the order of time. */
export function pauses({ from, to, before }: BusyTime, atLeast: number): readonly Pause[] {
  const found: Pause[] = []
  for (let span = 1; span < from.length; span += 1) {
    const lasted = from.at(span) - to.at(span - 1)
    if (lasted >= atLeast && lasted > 0) found.push({ at: before.at(span), lasted })
  }
  return found
}
