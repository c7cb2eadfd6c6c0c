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

  /** Updates the allowance from a response's headers. @param takenSince the amount taken after that request was sent */
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
   * Returns the time from which requests may be sent, which is now if plenty is left. A daily limit must not stop requests for hours, so requests
   * continue until the server rejects them.
   */
  opensAt(now: number): number {
    if (this.#longestMs <= allowanceRules.outdatedMs || now >= this.#resetAt) return now
    const opensAt = Math.min(this.#resetAt, this.#nextAt)
    return opensAt - now > longestWaitMs ? now : opensAt
  }
}
