/**
 * So many refusals, each soon after the one before, have nothing to do with a rate where the last came at a pace that is such a
 * share of what had been borne on average, pauses included.
 */
const least = { refusals: 4, share: 0.7 } as const
/** Refusals so close to each other, by time or by the answers between them, are soon after each other. */
const soon = { withinMs: 10_000, answers: 60 } as const
/** For how long such refusals are only waited for, four times as long each time. */
const firstMs = 30_000
/** At most this share of the latest requests may be refused: with more, they are limited after all. */
const tolerated = { requests: 60, share: 0.7 } as const

/** A rate that was refused, and what was borne on average until then; 0 where that is not known. Requests a second. */
export interface RefusedRate {
  readonly rate: number
  readonly average: number
}

/**
 * Tells refusals that come at any rate, such as those of a server that is overloaded by others: going slower does not help
 * there, and the next request may well be taken. Milliseconds of any monotonic clock.
 */
export class OverloadDetector {
  /** Each soon after the one before. */
  #row: RefusedRate[] = []
  #settledAt = -Infinity
  #answers = 0
  #until = -Infinity
  #nextMs = firstMs
  /** For each of the latest requests that ended, whether it was refused. */
  #ended: boolean[] = []

  /** Whether what is refused now is only waited for. */
  isOn(now: number): boolean {
    return now < this.#until
  }

  /** A request came to its end. */
  ended(now: number, isRefused: boolean): void {
    if (!isRefused) this.#answers += 1
    if (!this.isOn(now)) return
    this.#ended = [...this.#ended, isRefused].slice(-tolerated.requests)
    const { length } = this.#ended
    const refused = this.#ended.filter(Boolean).length
    if (length === tolerated.requests && refused > tolerated.share * length) this.#until = -Infinity
  }

  /** A rate was refused. @param until when the pause after it ends @returns whether it was not for the rate */
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
