import { LimitSearch, type SearchState } from './limit-search.js'
import type { Send } from './sends.js'

export interface ConcurrencyBounds {
  readonly start: number
  readonly min: number
  readonly max: number
}

/** The minimum duration of a round. */
const roundMs = 1_000
/** More slots must bring at least this share of the answers that they would bring on an idle server. */
const worthwhile = 0.25
/** The number of rounds without a gain after which added slots are given up. */
const doubtfulRounds = 2
/** A round with a larger share of server errors does not lead to more slots. */
const troubledShare = 0.1
/** A larger share of timeouts shows that the server cannot keep up. */
const drowningShare = 0.3

/** Within this factor of the proven number, a refusal is attributed to the added slots. */
const smallStep = 1.1

/** The rules for the search for the number of slots. */
export const slotRules = {
  firstStep: 0.05,
  leastStep: 1,
  near: 1,
  tolerance: 0.05,
  stride: 0.125,
  farStride: 0.3,
  longestStep: 0.5,
  restMs: 12_000,
  longestRestMs: 60_000,
  leap: 1,
} as const

interface Measured {
  readonly slots: number
  /** Answers per millisecond. */
  readonly rate: number
}

/**
 * Adapts the maximum number of requests in flight to their results. Times are milliseconds of any monotonic clock.
 *
 * A round ends when as many requests as there are slots were sent in it and have ended. It counts only if all slots
 * were needed, so an unused limit does not grow. Refusals are reported by {@link refuse}, once an episode. Server
 * errors delay growth. If more slots bring no more answers, the number goes back.
 */
export class ConcurrencyController {
  readonly #search: LimitSearch
  readonly #bounds: ConcurrencyBounds
  #round = emptyRound(0)
  #open: number
  #proven = 0
  /** The number of consecutive rounds in which the last added slots brought nothing. */
  #doubts = 0
  /** The measurement with fewer slots, until it is known whether more slots bring more answers. */
  #before: Measured | undefined
  /** The measurement at the time when growth ended. */
  #settled: Measured | undefined

  constructor(bounds: ConcurrencyBounds, from?: SearchState) {
    this.#bounds = bounds
    this.#search = new LimitSearch({ ...bounds, ...slotRules }, from ?? { value: bounds.start }, from === undefined)
    this.#open = this.#aim
  }

  /**
   * The current maximum. It approaches the target by one with each request that ends. If the target is too high, only
   * few requests are refused, and the number at which that happens is seen.
   */
  get limit(): number {
    return Math.min(this.#open, this.#aim)
  }

  get #aim(): number {
    return Math.floor(this.#search.value + 1e-9)
  }

  /** The largest number that was needed and accepted for a round, at most the limit. */
  get proven(): number {
    return Math.min(this.#proven, this.limit)
  }

  /** Tells whether a request with this many in flight is one of the first beyond the proven number. */
  isFirstBeyond(level: number): boolean {
    if (this.#proven === 0 || this.#aim <= this.#proven) return false
    const isSmall = this.#aim <= Math.max(this.#proven + 1, smallStep * this.#proven)
    return isSmall ? level >= 0.9 * this.#proven : level > this.#proven && level < this.#aim
  }

  get max(): number {
    return this.#bounds.max
  }

  get state(): SearchState {
    return this.#search.state
  }

  /** Notes that a request was held back, by the slots or by the rate. */
  heldBack(by: 'slots' | 'pace'): void {
    this.#round[by] += 1
  }

  /** Notes the end of a request. @param result stored answers do not count */
  ended(now: number, send: Send, result: 'answered' | 'server' | 'timeout' | 'other'): void {
    const round = this.#round
    this.#open = Math.min(this.#open + 1, this.#aim)
    if (result === 'server') round.errors += 1
    if (result === 'timeout') round.timeouts += 1
    if (send.at >= round.startedAt) {
      round.ended += 1
      if (result === 'answered') {
        round.answered += 1
        round.latency += now - send.at
      }
    }
    if (round.ended >= this.#aim && now - round.startedAt >= roundMs) this.#endRound(now)
  }

  /** Handles a refusal because of too many requests in flight. @param until the end of the wait that the server asks for */
  refuse(now: number, others: number, until: number): void {
    this.#before = this.#settled = undefined
    this.#search.cut(now, { at: others + 1, keep: others, until })
    this.#proven = Math.min(this.#proven, others)
    this.#open = this.#aim
    this.#round = emptyRound(until)
  }

  /** Discards the measurements of this round, because something else held requests back. */
  restart(now: number): void {
    this.#round = emptyRound(now)
  }

  #endRound(now: number): void {
    const { slots, pace, answered, latency, errors, timeouts, ended } = this.#round
    this.#round = emptyRound(now)
    if (timeouts > drowningShare * ended) {
      this.#before = this.#settled = undefined
      this.#search.cut(now, { at: this.limit, keep: Math.floor(0.7 * this.limit) })
      return
    }
    if (slots === 0 || pace > slots || errors + timeouts > troubledShare * ended) return
    if (answered === 0) return
    // The rate is computed by Little's law. Counting answers would see whole batches or none if all take the same time.
    this.#judge(now, { slots: this.limit, rate: (this.limit * answered) / Math.max(1, latency) })
  }

  #judge(now: number, measured: Measured): void {
    const before = this.#before
    if (before !== undefined && measured.slots >= 1.25 * before.slots) {
      const wanted = 1 + worthwhile * (measured.slots / before.slots - 1)
      if (measured.rate < wanted * before.rate) {
        this.#doubts += 1
        if (this.#doubts < doubtfulRounds) return
        this.#doubts = 0
        this.#search.retreat(now, before.slots)
        this.#settled = before
        this.#before = undefined
        return
      }
      this.#before = measured
    }
    this.#doubts = 0
    this.#before ??= measured
    // The server now gives more answers with the same slots, so more slots are tried.
    if (this.#settled !== undefined && measured.rate > 1.3 * this.#settled.rate) {
      this.#settled = undefined
      this.#search.wakeUp()
    }
    this.#proven = this.limit
    this.#search.grow(now)
  }
}

const emptyRound = (startedAt: number) => ({
  startedAt,
  slots: 0,
  pace: 0,
  answered: 0,
  /** The sum of the latencies of answered requests, in milliseconds. */
  latency: 0,
  errors: 0,
  timeouts: 0,
  /** The number of requests that were sent in the round and have ended. */
  ended: 0,
})
