/**
 * If this many refusals came soon after one another, and the last one at this share of the rate accepted before, they
 * are independent of the rate. The accepted rate is an average that includes pauses.
 */
const least = { refusals: 4, share: 0.7 } as const
/** Two refusals are soon after one another within this time, or with at most this many answers in between. */
const soon = { withinMs: 10_000, answers: 60 } as const
/** The time for which such refusals lead only to waits. It is four times as long each time. */
const firstMs = 30_000
/** If a larger share of the latest requests is refused, there is a rate limit after all. */
const tolerated = { requests: 60, share: 0.7 } as const

/** A refused rate, and the average rate accepted until then (0 if unknown). Requests per second. */
export interface RefusedRate {
  readonly rate: number
  readonly average: number
}

/**
 * Recognises refusals that come at any rate, for example from a server that others overload. Sending more slowly does
 * not help then, and the next request may be accepted. Times are milliseconds of any monotonic clock.
 */
export class OverloadDetector {
  /** Refusals that came soon after one another. */
  #row: RefusedRate[] = []
  #settledAt = -Infinity
  #answers = 0
  #until = -Infinity
  #nextMs = firstMs
  /** For each of the latest ended requests, whether it was refused. */
  #ended: boolean[] = []

  /** True while refusals lead only to waits. */
  isOn(now: number): boolean {
    return now < this.#until
  }

  /** Notes the end of a request. */
  ended(now: number, isRefused: boolean): void {
    if (!isRefused) this.#answers += 1
    if (!this.isOn(now)) return
    this.#ended = [...this.#ended, isRefused].slice(-tolerated.requests)
    const { length } = this.#ended
    const refused = this.#ended.filter(Boolean).length
    if (length === tolerated.requests && refused > tolerated.share * length) this.#until = -Infinity
  }

  /** Notes a refused rate. @param until the end of the pause after it @returns whether the rate was not the cause */
  refused(now: number, until: number, refused: RefusedRate): boolean {
    const isSoon = now - this.#settledAt < soon.withinMs || this.#answers < soon.answers
    this.#settledAt = until
    this.#answers = 0
    this.#row = [...(isSoon ? this.#row : []), refused]
    const borne = Math.max(0, ...this.#row.slice(0, -1).map(({ average }) => average))
    if (this.#row.length < least.refusals || refused.rate > least.share * borne) return false
    this.#until = until + this.#nextMs
    this.#nextMs *= 4
    this.#row = []
    this.#ended = []
    return true
  }
}
