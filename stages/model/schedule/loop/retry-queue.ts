import type { Clock } from '../../../../base/clock.js'
import type { Lease } from '../../../../cache/store.js'
import type { PendingRequest } from './pending-request.js'

interface DelayedRetry {
  readonly request: PendingRequest
  /** What the last attempt failed with. */
  readonly message: string
  readonly since: number
  readonly until: number
}

/** Requests that wait to be tried again. They keep their leases and hold no slot. */
export class RetryQueue {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #waiting = new Map<DelayedRetry, () => void>()
  #due: PendingRequest[] = []

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** All that wait, due or not. */
  get size(): number {
    return this.#waiting.size + this.#due.length
  }

  add(request: PendingRequest, waitMs: number, message: string): void {
    const since = this.#clock.now()
    const waiting: DelayedRetry = { request, message, since, until: since + waitMs }
    const cancel = this.#clock.after(waitMs, () => {
      this.#waiting.delete(waiting)
      this.#due.push(request)
      this.#onDue()
    })
    this.#waiting.set(waiting, cancel)
  }

  /** The one whose time comes next, where none is due. */
  get next(): Omit<DelayedRetry, 'request'> | undefined {
    if (this.isDue) return undefined
    let next: DelayedRetry | undefined
    for (const waiting of this.#waiting.keys()) if (next === undefined || waiting.until < next.until) next = waiting
    return next
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
    const leases = [...this.#due, ...[...this.#waiting.keys()].map(({ request }) => request)].map(({ lease }) => lease)
    this.#waiting.clear()
    this.#due = []
    return leases
  }
}
