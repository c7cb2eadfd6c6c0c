import type { RateLimit } from '../../model.js'
import { longestWaitMs } from '../loop/retry.js'

/**
 * Of what is granted anew so soon, what is said is late when it comes, and counted in whole seconds often enough: kept to, it
 * would leave half of it unused. Such a pace is found by what is refused.
 */
const soonMs = 2_000

/**
 * What is left of something that a server grants by the time, by what it last said.
 *
 * It is spread evenly over the time until it is granted anew. That is right for a fixed window, all of which is then used
 * up just when it ends, and for one that is refilled all the time, half of which is then left.
 */
export class Allowance {
  #left = Infinity
  #at = 0
  #resetAt = 0
  /** The longest time until it was to be granted anew: at its end, any time is short. */
  #longestMs = 0
  /** When the next may be taken. */
  #nextAt = 0

  /**
   * @param sentAt when the request went out with whose answer this was said
   * @param takenSince what was taken after that
   */
  learn(now: number, { remaining, resetMs }: RateLimit, takenSince: number): void {
    if (remaining === undefined || resetMs === undefined) return
    this.#longestMs = Math.max(this.#longestMs, resetMs)
    this.#left = remaining - takenSince
    this.#at = now
    this.#resetAt = now + resetMs
    this.#nextAt = Math.min(this.#nextAt, this.#resetAt)
  }

  /** Takes some of it. */
  take(now: number, amount: number): void {
    this.#left -= amount
    const rest = this.#resetAt - Math.max(now, this.#at)
    const spacing = this.#left > 0 ? (amount * rest) / this.#left : rest
    this.#nextAt = Math.max(now, this.#nextAt) + Math.max(0, spacing)
  }

  /**
   * From when on some may be taken; not in the future where there is plenty. A limit of a day is not kept to in silence for
   * hours: the server is asked, and says itself when it is used up.
   */
  opensAt(now: number): number {
    if (this.#longestMs <= soonMs || now >= this.#resetAt) return now
    const opensAt = Math.min(this.#resetAt, this.#nextAt)
    return opensAt - now > longestWaitMs ? now : opensAt
  }
}
