import { LimitSearch, type SearchState } from './limit-search.js'
import type { Send } from './sends.js'

export interface ConcurrencyBounds {
  readonly start: number
  readonly min: number
  readonly max: number
}

/** A round lasts at least so long. */
const roundMs = 1_000
/** More slots must bring at least this share of what they would bring a server that is not busy. */
const worthwhile = 0.25
/** It takes so many rounds in which more slots brought nothing to believe it. */
const doubtfulRounds = 2
/** A round with more server errors than this is no ground to grow. */
const troubledShare = 0.1
/** This many timeouts mean a server that does not keep up. */
const drowningShare = 0.3

/** Up to this share of what was proven, whatever is refused is taken to be refused because of the step. */
const smallStep = 1.1

/** How a number of slots is looked for. */
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
  /** Answers a millisecond. */
  readonly rate: number
}

/**
 * How many requests may be under way at once, found out by what comes of them. Milliseconds of any monotonic clock.
 *
 * A round ends when as many requests as there are slots were sent in it and have ended. It counts only if slots were
 * taken, so that a limit that nobody needs does not grow. Refused requests are told by {@link refuse}, once an
 * episode; server errors put growth off; where more slots bring no more answers, it goes back to fewer.
 */
export class ConcurrencyController {
  #search: LimitSearch
  readonly #bounds: ConcurrencyBounds
  #round = emptyRound(0)
  #open: number
  #proven = 0
  /** Rounds in a row in which the slots added last brought nothing. */
  #doubts = 0
  /** What fewer slots brought, as long as it is not known whether more bring more. */
  #before: Measured | undefined
  /** What came of the slots at the time when growth ended. */
  #usual: Measured | undefined

  constructor(bounds: ConcurrencyBounds, from?: SearchState) {
    this.#bounds = bounds
    this.#search = new LimitSearch({ ...bounds, ...slotRules }, from ?? { value: bounds.start }, from === undefined)
    this.#open = this.#aim
  }

  /** Grows by one with each request that ends, so that of many slots too many few are refused, and it is seen at which. */
  get limit(): number {
    return Math.min(this.#open, this.#aim)
  }

  get #aim(): number {
    return Math.floor(this.#search.value + 1e-9)
  }

  /** What was used in full for a round and borne; no more than the limit. */
  get proven(): number {
    return Math.min(this.#proven, this.limit)
  }

  /** Whether a request with so many under way is one of the first beyond what was proven. */
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

  /** A request could have been sent but for a slot, or but for the pace. */
  heldBack(by: 'slots' | 'pace'): void {
    this.#round[by] += 1
  }

  /** A request has ended. @param result cache hits are none */
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

  /** A request was refused because so many others were under way. @param until what the server asks to wait for */
  refuse(now: number, others: number, until: number): void {
    this.#before = this.#usual = undefined
    this.#search.cut(now, { at: others + 1, keep: others, until })
    this.#proven = Math.min(this.#proven, others)
    this.#open = this.#aim
    this.#round = emptyRound(until)
  }

  /** Begins anew: what was refused was not for the slots. */
  forget(): void {
    this.#search = new LimitSearch({ ...this.#bounds, ...slotRules }, { value: this.#bounds.start }, true)
    this.#open = this.#aim
    this.#proven = 0
    this.#before = this.#usual = undefined
  }

  /** What came so far in this round says nothing: something else held requests back. */
  restart(now: number): void {
    this.#round = emptyRound(now)
  }

  #endRound(now: number): void {
    const { slots, pace, answered, latency, errors, timeouts, ended } = this.#round
    this.#round = emptyRound(now)
    if (timeouts > drowningShare * ended) {
      this.#before = this.#usual = undefined
      this.#search.cut(now, { at: this.limit, keep: Math.floor(0.7 * this.limit) })
      return
    }
    if (slots === 0 || pace > slots || errors + timeouts > troubledShare * ended) return
    if (answered === 0) return
    // By Little's law. Counting answers would see whole batches or none where all take the same time.
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
        this.#usual = before
        this.#before = undefined
        return
      }
      this.#before = measured
    }
    this.#doubts = 0
    this.#before ??= measured
    // A server that was given more answers more at once, with the same slots.
    if (this.#usual !== undefined && measured.rate > 1.3 * this.#usual.rate) {
      this.#usual = undefined
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
  /** The number of answered requests, in all. */
  latency: 0,
  errors: 0,
  timeouts: 0,
  /** The number of requests sent in the round. */
  ended: 0,
})
