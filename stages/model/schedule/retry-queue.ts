import type { Clock } from '../../../base/clock.js'
import type { Lease } from '../../../cache/store.js'

/** One try at a request; the first is number 1. */
export interface Attempt {
  readonly lease: Lease
  readonly number: number
}

/** Requests that wait to be tried again. They keep their leases and hold no slot. */
export class RetryQueue {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #waiting = new Map<Attempt, () => void>()
  #due: Attempt[] = []

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** All that wait, due or not. */
  get size(): number {
    return this.#waiting.size + this.#due.length
  }

  add(attempt: Attempt, waitMs: number): void {
    const cancel = this.#clock.after(waitMs, () => {
      this.#waiting.delete(attempt)
      this.#due.push(attempt)
      this.#onDue()
    })
    this.#waiting.set(attempt, cancel)
  }

  /** One whose time has come, in the order of their times. */
  take(): Attempt | undefined {
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
