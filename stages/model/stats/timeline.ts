import { type GrowingColumn, growingColumn } from '../../../base/collections/growing-column.js'

/** The course of a run over its busy time, in equal steps. */
export interface Timeline {
  /** The length of one step in milliseconds. */
  readonly step: number
  /** The average number of requests in flight in each step. */
  readonly concurrency: readonly number[]
  /** Answers per second. */
  readonly requests: readonly number[]
  /** Output tokens per second. */
  readonly tokens: readonly number[]
}

/** The times of requests from sending to answer, in milliseconds, with their output tokens. */
export interface TimedRequests {
  readonly length: number
  readonly sent: (index: number) => number
  readonly ended: GrowingColumn['at']
  readonly tokens: GrowingColumn['at']
}

const mostSteps = 60

/** Computes a timeline of at most sixty steps, and at most as many as there are requests. */
export function timeline({ length, sent, ended, tokens }: TimedRequests, busy: BusyTime): Timeline {
  const steps = Math.min(mostSteps, length)
  const step = steps === 0 ? 0 : busy.total / steps
  const [inFlight, answered, output] = [new Float64Array(steps), new Float64Array(steps), new Float64Array(steps)]
  const whole = new Float64Array(steps + 1)
  const findStep = (moment: number): number => Math.min(steps - 1, Math.floor(moment / step))
  for (let index = 0; index < length; index += 1) {
    const [from, to] = [busyBefore(busy, sent(index)), busyBefore(busy, ended(index))]
    const [first, last] = [findStep(from), findStep(to)]
    add(answered, last, 1)
    add(output, last, tokens(index))
    if (first === last) add(inFlight, first, to - from)
    else {
      add(inFlight, first, (first + 1) * step - from)
      add(inFlight, last, to - last * step)
      // Steps in between are fully covered. Only their start and end are marked, so that a long request costs no more.
      add(whole, first + 1, 1)
      add(whole, last, -1)
    }
  }
  let covering = 0
  const seconds = step / 1000
  return {
    step,
    concurrency: Array.from(inFlight, (ms, index) => {
      covering += whole[index] ?? 0
      return roundValue(ms / step + covering)
    }),
    requests: Array.from(answered, count => roundValue(count / seconds)),
    tokens: Array.from(output, count => roundValue(count / seconds)),
  }
}

const add = (cells: Float64Array, index: number, value: number): void => {
  cells[index] = (cells[index] ?? 0) + value
}

const roundValue = (value: number): number => Number(value.toPrecision(4))

/**
 * Computes the highest number of requests in flight.
 *
 * @param sent ascending
 * @param ended of the same requests, ascending
 */
export function peakConcurrency(sent: Float64Array, ended: Float64Array): number {
  let [peak, over] = [0, 0]
  for (const [index, start] of sent.entries()) {
    while ((ended[over] ?? Infinity) <= start) over += 1
    peak = Math.max(peak, index + 1 - over)
  }
  return peak
}

/** The time spans in which at least one request was waiting or in flight. They are ascending and separate, in milliseconds. */
export interface BusyTime {
  readonly from: Moments
  readonly to: Moments
  /** The busy time before each span, in milliseconds. */
  readonly before: Moments
  /** The length of all spans together. */
  readonly total: number
}

/** One value for each span. If requests are sent singly, there are as many spans as requests. */
type Moments = Pick<GrowingColumn, 'length' | 'at'>

/**
 * Computes the union of intervals. Gaps, in which no process ran or no request was left, are not part of it.
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
    // An interval that began by then is still running, or follows at once.
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

/** Computes the busy time before a moment, which is its position on an axis without idle time. */
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

/** A gap without work: the busy time before it, and its length, in milliseconds. */
export interface Pause {
  readonly at: number
  readonly lasted: number
}

/** Lists the gaps of at least this length, in the order of time. */
export function pauses({ from, to, before }: BusyTime, atLeast: number): readonly Pause[] {
  const longGaps: Pause[] = []
  for (let span = 1; span < from.length; span += 1) {
    const lasted = from.at(span) - to.at(span - 1)
    if (lasted >= atLeast && lasted > 0) longGaps.push({ at: before.at(span), lasted })
  }
  return longGaps
}
