import { type GrowingColumn, growingColumn } from '../../../base/collections/growing-column.js'

/** How a run went over its busy time, in equal steps. */
export interface Timeline {
  /** Milliseconds of one step. */
  readonly step: number
  /** Requests under way, on average over the step. */
  readonly concurrency: readonly number[]
  /** Answers a second. */
  readonly requests: readonly number[]
  /** Output tokens a second. */
  readonly tokens: readonly number[]
}

/** Spans of requests in milliseconds, from sending to answer, with their output tokens. */
export interface TimedRequests {
  readonly length: number
  readonly sent: (place: number) => number
  readonly ended: GrowingColumn['at']
  readonly tokens: GrowingColumn['at']
}

const mostSteps = 60

/** At most sixty steps, and no more than there are requests. */
export function timeline({ length, sent, ended, tokens }: TimedRequests, busy: BusyTime): Timeline {
  const steps = Math.min(mostSteps, length)
  const step = steps === 0 ? 0 : busy.total / steps
  const [inFlight, answered, output] = [new Float64Array(steps), new Float64Array(steps), new Float64Array(steps)]
  const whole = new Float64Array(steps + 1)
  const placeOf = (moment: number): number => Math.min(steps - 1, Math.floor(moment / step))
  for (let place = 0; place < length; place += 1) {
    const [from, to] = [busyBefore(busy, sent(place)), busyBefore(busy, ended(place))]
    const [first, last] = [placeOf(from), placeOf(to)]
    add(answered, last, 1)
    add(output, last, tokens(place))
    if (first === last) add(inFlight, first, to - from)
    else {
      add(inFlight, first, (first + 1) * step - from)
      add(inFlight, last, to - last * step)
      // Steps between are taken whole; they are counted by where they begin and end, so that a long request costs no more.
      add(whole, first + 1, 1)
      add(whole, last, -1)
    }
  }
  let covering = 0
  const seconds = step / 1000
  return {
    step,
    concurrency: Array.from(inFlight, (ms, place) => {
      covering += whole[place] ?? 0
      return rounded(ms / step + covering)
    }),
    requests: Array.from(answered, count => rounded(count / seconds)),
    tokens: Array.from(output, count => rounded(count / seconds)),
  }
}

const add = (cells: Float64Array, place: number, value: number): void => {
  cells[place] = (cells[place] ?? 0) + value
}

const rounded = (value: number): number => Number(value.toPrecision(4))

/**
 * The most requests that were under way at once.
 *
 * @param sent ascending
 * @param ended of the same requests, ascending
 */
export function peakConcurrency(sent: Float64Array, ended: Float64Array): number {
  let [peak, over] = [0, 0]
  for (const [place, start] of sent.entries()) {
    while ((ended[over] ?? Infinity) <= start) over += 1
    peak = Math.max(peak, place + 1 - over)
  }
  return peak
}

/** Spans of time in which at least one request was waiting or under way, ascending, apart from each other. Milliseconds. */
export interface BusyTime {
  readonly from: Moments
  readonly to: Moments
  /** Busy milliseconds before each span. */
  readonly before: Moments
  /** All spans together. */
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
