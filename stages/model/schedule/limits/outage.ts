import { outageRules } from './constants.js'
import type { Send } from './sends.js'

/**
 * An outage, in which the server cannot be reached. All requests wait, and one probe at a time finds out whether the
 * server is back. A request that did not reach the server was not sent, so it uses up no attempt. The budget decides
 * how long an outage may last. Times are milliseconds of any monotonic clock.
 */
export class Outage {
  #present: { readonly since: number; message: string; nextAt: number; waitMs: number } | undefined
  #probe: Send | undefined

  /** The start of the outage, the last message, and the time of the next probe. Undefined without an outage. */
  get present(): { readonly since: number; readonly message: string; readonly nextAt: number } | undefined {
    return this.#present
  }

  /** The milliseconds until a request may be sent. Infinity while a probe is in flight. */
  waitMs(now: number): number {
    if (this.#present === undefined) return 0
    return this.#probe === undefined ? Math.max(0, this.#present.nextAt - now) : Infinity
  }

  sent(send: Send): void {
    if (this.#present !== undefined) this.#probe = send
  }

  /** Notes that a request did not reach the server. Requests sent before the outage was noticed change nothing. */
  met(now: number, send: Send, message: string): void {
    if (this.#present === undefined) {
      this.#present = { since: now, message, nextAt: now + outageRules.firstWaitMs, waitMs: outageRules.firstWaitMs }
      return
    }
    this.#present.message = message
    if (send !== this.#probe) return
    this.#probe = undefined
    this.#present.waitMs = Math.min(outageRules.longestWaitMs, 2 * this.#present.waitMs)
    this.#present.nextAt = now + this.#present.waitMs
  }

  /** Notes that a probe ended without a result, for example when it was interrupted. */
  brokenOff(send: Send): void {
    if (send === this.#probe) this.#probe = undefined
  }

  /** Notes that the server can be reached. @returns whether that ended an outage */
  over(): boolean {
    const wasOn = this.#present !== undefined
    this.#present = undefined
    this.#probe = undefined
    return wasOn
  }
}
