import { growthRules, slotSearch } from './constants.js'
import { LimitSearch, type SearchState } from './limit-search.js'
import type { Send } from './sends.js'

export interface ConcurrencyBounds {
  readonly start: number
  readonly min: number
  readonly max: number
}

interface Measured {
  readonly slots: number
  /** Answers per millisecond. */
  readonly rate: number
}

/**
 * Adapts the maximum number of requests in flight to their results. Times are milliseconds of any monotonic clock.
 *
 * A round ends when as many requests as there are slots were sent in it and have ended. It counts only if all slots
 * were needed, so an unused limit does not grow. Rate limits are reported by {@link cut}, once an episode. Server
 * errors delay growth. If more slots bring no more answers, the number goes back.
 */
export class ConcurrencyController {
  readonly #search: LimitSearch
  readonly #bounds: ConcurrencyBounds
  #round = emptyRound(0)
  #open: number
  #proven = 0
  /** The number of consecutive rounds without a gain from the last added slots. */
  #doubts = 0
  /** The measurement with fewer slots, until it is known whether more slots bring more answers. */
  #before: Measured | undefined
  /** The measurement at the time when growth ended. */
  #settled: Measured | undefined

  constructor(bounds: ConcurrencyBounds, from?: SearchState) {
    this.#bounds = bounds
    this.#search = new LimitSearch({ ...bounds, ...slotSearch }, from ?? { value: bounds.start }, from === undefined)
    this.#open = this.#aim
  }

  /**
   * The current maximum. It approaches the target by one with each request that ends. If the target is too high, only
   * few requests are rate limited, and the number at which that happens is seen.
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
    const isSmall = this.#aim <= Math.max(this.#proven + 1, growthRules.smallStep * this.#proven)
    return isSmall ? level >= this.#proven : level > this.#proven && level < this.#aim
  }

  get max(): number {
    return this.#bounds.max
  }

  get state(): SearchState {
    return this.#search.state
  }

  /** Notes that a request had to wait for a slot or for the rate. */
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
    if (round.ended >= this.#aim && now - round.startedAt >= growthRules.roundMs) this.#endRound(now)
  }

  /** Handles a rate limit because of too many requests in flight. @param until the end of the wait that the server asks for */
  cut(now: number, others: number, until: number): void {
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
    if (timeouts > growthRules.drowningShare * ended) {
      this.#before = this.#settled = undefined
      this.#search.cut(now, { at: this.limit, keep: Math.floor(growthRules.drownedShare * this.limit) })
      return
    }
    if (slots === 0 || pace > slots || errors + timeouts > growthRules.troubledShare * ended) return
    if (answered === 0) return
    // The rate is computed by Little's law. Counting answers would see whole batches or none if all take the same time.
    this.#judge(now, { slots: this.limit, rate: (this.limit * answered) / Math.max(1, latency) })
  }

  #judge(now: number, measured: Measured): void {
    const before = this.#before
    if (before !== undefined && measured.slots >= growthRules.comparedFactor * before.slots) {
      const wanted = 1 + growthRules.worthwhile * (measured.slots / before.slots - 1)
      if (measured.rate < wanted * before.rate) {
        this.#doubts += 1
        if (this.#doubts < growthRules.doubtfulRounds) return
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
    if (this.#settled !== undefined && measured.rate > growthRules.fasterFactor * this.#settled.rate) {
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
