import { overloadRules } from './constants.js'

/** An exceeded rate, and the average rate accepted until then (0 if unknown). Requests per second. */
export interface ExceededRate {
  readonly rate: number
  readonly average: number
}

/**
 * Recognises rate limits that come at any rate, for example from a server that others overload. Sending more slowly does
 * not help then, and the next request may be accepted. Times are milliseconds of any monotonic clock.
 */
export class OverloadDetector {
  /** Rate limits that came soon after one another. */
  #row: ExceededRate[] = []
  #settledAt = -Infinity
  #answers = 0
  #until = -Infinity
  #nextMs: number = overloadRules.firstMs
  /** For each of the latest ended requests, whether it was rate limited. */
  #ended: boolean[] = []

  /** True while rate limits lead only to waits. */
  isOn(now: number): boolean {
    return now < this.#until
  }

  /** Notes the end of a request. */
  ended(now: number, isRateLimited: boolean): void {
    if (!isRateLimited) this.#answers += 1
    if (!this.isOn(now)) return
    this.#ended = [...this.#ended, isRateLimited].slice(-overloadRules.toleratedRequests)
    const { length } = this.#ended
    const limited = this.#ended.filter(Boolean).length
    if (length === overloadRules.toleratedRequests && limited > overloadRules.toleratedShare * length)
      this.#until = -Infinity
  }

  /** Notes an exceeded rate. @param until the end of the pause after it @returns whether the rate was not the cause */
  noteExceeded(now: number, until: number, limited: ExceededRate): boolean {
    const isSoon = now - this.#settledAt < overloadRules.soonMs || this.#answers < overloadRules.soonAnswers
    this.#settledAt = until
    this.#answers = 0
    this.#row = [...(isSoon ? this.#row : []), limited]
    const borne = Math.max(0, ...this.#row.slice(0, -1).map(({ average }) => average))
    if (this.#row.length < overloadRules.rateLimits || limited.rate > overloadRules.share * borne) return false
    this.#until = until + this.#nextMs
    this.#nextMs *= overloadRules.longerFactor
    this.#row = []
    this.#ended = []
    return true
  }
}
