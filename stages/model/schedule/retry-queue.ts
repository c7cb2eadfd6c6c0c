import type { Clock } from '../../../base/clock.js'
import type { Lease } from '../../../cache/store.js'
import type { PendingRequest } from './pending-request.js'

/** Requests that wait to be tried again. They keep their leases and hold no slot. */
export class RetryQueue {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #waiting = new Map<PendingRequest, () => void>()
  #due: PendingRequest[] = []

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** All that wait, due or not. */
  get size(): number {
    return this.#waiting.size + this.#due.length
  }

  add(request: PendingRequest, waitMs: number): void {
    const cancel = this.#clock.after(waitMs, () => {
      this.#waiting.delete(request)
      this.#due.push(request)
      this.#onDue()
    })
    this.#waiting.set(request, cancel)
  }

  /** Whether the time of one has come. */
  get isDue(): boolean {
    return this.#due.length > 0
  }

  /** One whose time has come, in the order of their times. */
  take(): PendingRequest | undefined {
    return this.#due.shift()
  }

  /** All leases that are held here, to be given back. */
  takeAll(): readonly Lease[] {
    for (const cancel of this.#waiting.values()) cancel()
    const leases = [...this.#due, ...this.#waiting.keys()].map(({ lease }) => lease)
    this.#waiting.clear()
    this.#due = []
    return leases
  }
}
