import type { RateLimit } from '../../model.js'
import { allowanceRules } from './constants.js'
import { longestWaitMs } from '../loop/retry.js'

/**
 * The remainder of a server's limit, according to its last statement.
 *
 * It is spread evenly over the time until the reset. A fixed window is then used up just when it ends. Of a bucket that
 * is refilled continuously, half stays unused.
 */
export class Allowance {
  #left = Infinity
  #at = 0
  #resetAt = 0
  /** The longest time until a reset so far. Near the end of a window the time is always short. */
  #longestMs = 0
  /** The time when the next part may be taken. */
  #nextAt = 0

  /** Learns the server's statement. @param takenSince what was taken after the request that it answers was sent */
  learn(now: number, { remaining, resetMs }: RateLimit, takenSince: number): void {
    if (remaining === undefined || resetMs === undefined) return
    this.#longestMs = Math.max(this.#longestMs, resetMs)
    this.#left = remaining - takenSince
    this.#at = now
    this.#resetAt = now + resetMs
    this.#nextAt = Math.min(this.#nextAt, this.#resetAt)
  }

  /** Takes a part of it. */
  take(now: number, amount: number): void {
    this.#left -= amount
    const rest = this.#resetAt - Math.max(now, this.#at)
    const spacing = this.#left > 0 ? (amount * rest) / this.#left : rest
    this.#nextAt = Math.max(now, this.#nextAt) + Math.max(0, spacing)
  }

  /**
   * Returns from when on some may be taken, which is now if plenty is left. A daily limit must not stop requests for
   * hours: the server is asked, and reports itself when it is used up.
   */
  opensAt(now: number): number {
    if (this.#longestMs <= allowanceRules.outdatedMs || now >= this.#resetAt) return now
    const opensAt = Math.min(this.#resetAt, this.#nextAt)
    return opensAt - now > longestWaitMs ? now : opensAt
  }
}
