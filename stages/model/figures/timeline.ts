import { busyBefore, type BusyTime } from './busy-time.js'

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

/** Of requests, each with the moment when it was sent and that of its answer (milliseconds), and its output tokens. */
export interface TimedRequests {
  readonly sent: Float64Array
  readonly ended: Float64Array
  readonly tokens: Float64Array
}

const mostSteps = 60

/** At most sixty steps, and no more than there are requests. */
export function timeline({ sent, ended, tokens }: TimedRequests, busy: BusyTime): Timeline {
  const steps = Math.min(mostSteps, sent.length)
  const step = steps === 0 ? 0 : busy.total / steps
  const [inFlight, answered, output] = [new Float64Array(steps), new Float64Array(steps), new Float64Array(steps)]
  const whole = new Float64Array(steps + 1)
  const placeOf = (moment: number): number => Math.min(steps - 1, Math.floor(moment / step))
  for (const place of sent.keys()) {
    const [from, to] = [busyBefore(busy, sent[place] ?? 0), busyBefore(busy, ended[place] ?? 0)]
    const [first, last] = [placeOf(from), placeOf(to)]
    add(answered, last, 1)
    add(output, last, tokens[place] ?? 0)
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

/** The most requests that were under way at once. */
export function peakConcurrency({ sent, ended }: Pick<TimedRequests, 'sent' | 'ended'>): number {
  const starts = Float64Array.from(sent).sort()
  const ends = Float64Array.from(ended).sort()
  let [peak, over] = [0, 0]
  for (const [place, start] of starts.entries()) {
    while ((ends[over] ?? Infinity) <= start) over += 1
    peak = Math.max(peak, place + 1 - over)
  }
  return peak
}
