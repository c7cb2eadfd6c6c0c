import type { Send } from './sends.js'

/** Milliseconds until the first probe, doubled with each further one that reaches nobody. */
const firstWaitMs = 250
/** A server that is back is noticed within this time. */
const longestWaitMs = 5_000

/**
 * A time in which nobody answers at an address. All requests wait then, and one at a time is sent to find out whether somebody
 * is back. A request that reached nobody was not sent, so that it uses up no attempt. The budget decides how long an outage may
 * last. Milliseconds of any monotonic clock.
 */
export class Outage {
  #present: { readonly since: number; message: string; nextAt: number; waitMs: number } | undefined
  #probe: Send | undefined

  /** Since when nobody answers, what was said last, and when the next probe is due; undefined while somebody answers. */
  get present(): { readonly since: number; readonly message: string; readonly nextAt: number } | undefined {
    return this.#present
  }

  /** Milliseconds until a request may be sent: Infinity while a probe is on its way. */
  waitMs(now: number): number {
    if (this.#present === undefined) return 0
    return this.#probe === undefined ? Math.max(0, this.#present.nextAt - now) : Infinity
  }

  sent(send: Send): void {
    if (this.#present !== undefined) this.#probe = send
  }

  /** A request reached nobody. Those that were sent before the outage was noticed change nothing. */
  met(now: number, send: Send, message: string): void {
    if (this.#present === undefined) {
      this.#present = { since: now, message, nextAt: now + firstWaitMs, waitMs: firstWaitMs }
      return
    }
    this.#present.message = message
    if (send !== this.#probe) return
    this.#probe = undefined
    this.#present.waitMs = Math.min(longestWaitMs, 2 * this.#present.waitMs)
    this.#present.nextAt = now + this.#present.waitMs
  }

  /** A probe came to its end without a word of the server, such as one that was interrupted. */
  brokenOff(send: Send): void {
    if (send === this.#probe) this.#probe = undefined
  }

  /** Somebody answers, or takes a connection. @returns whether that ended an outage */
  over(): boolean {
    const wasOn = this.#present !== undefined
    this.#present = undefined
    this.#probe = undefined
    return wasOn
  }
}
