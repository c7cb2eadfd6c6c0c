import type { Clock } from '../../../../base/time/clock.js'
import type { Lease } from '../../../../cache/store.js'
import { LeaseQueue, type LeaseQueueOptions } from './lease-queue.js'
import type { PendingRequest } from './pending-request.js'

/** All requests that a loop holds and has not under way: new ones, those to be tried again, and one that has to wait. */
export class Backlog {
  readonly queue: LeaseQueue
  readonly retries: RetryQueue
  readonly #slots: () => number
  /** What the gate did not let through yet. */
  #heldBack: PendingRequest | undefined
  #isTurnOfNew = false
  /** Leases of attempts that were broken off, to be given back. */
  readonly #unused: Lease[] = []

  /** @param onDue called when the time of a request has come that waits to be tried again */
  constructor(options: LeaseQueueOptions, onDue: () => void) {
    this.queue = new LeaseQueue(options)
    this.retries = new RetryQueue(options.clock, onDue)
    this.#slots = options.slots
  }

  /** Whether so many requests wait for a retry that nothing new is begun: else a refusing server would be asked everything. */
  get isCrowded(): boolean {
    return this.retries.size >= 4 * Math.max(1, this.#slots())
  }

  /** Whether something may be sent now. */
  get hasNext(): boolean {
    return this.#heldBack !== undefined || this.retries.isDue || (!this.isCrowded && this.queue.length > 0)
  }

  /** Whether all that there is was taken, and nothing waits. */
  get isEmpty(): boolean {
    return this.queue.isFinished && this.retries.size === 0 && this.#unused.length === 0 && this.#heldBack === undefined
  }

  /**
   * What is to be tried again goes first, but one that was refused for a limit again and again takes turns with new ones:
   * it may be refused for itself, and would be all that a server is asked while one request at a time finds out whether it
   * admits any.
   */
  take(): PendingRequest | undefined {
    const heldBack = this.#heldBack
    this.#heldBack = undefined
    const taken =
      heldBack ??
      (this.#isTurnOfNew ? (this.#takeNew() ?? this.retries.take()) : (this.retries.take() ?? this.#takeNew()))
    this.#isTurnOfNew = taken !== undefined && taken.throttled > 1
    return taken
  }

  #takeNew(): PendingRequest | undefined {
    return this.isCrowded ? undefined : this.queue.take()
  }

  /** It was taken and may not be sent now: the next one to be taken is the same. */
  holdBack(request: PendingRequest): void {
    this.#heldBack = request
  }

  /** It was taken and will not be asked from here. */
  giveUp(lease: Lease): void {
    this.#unused.push(lease)
  }

  /** All leases that are held here, to be given back. */
  takeAll(): readonly Lease[] {
    const heldBack = this.#heldBack === undefined ? [] : [this.#heldBack.lease]
    return [...heldBack, ...this.queue.takeAll(), ...this.retries.takeAll(), ...this.#unused]
  }
}

interface DelayedRetry {
  readonly request: PendingRequest
  /** What the last attempt failed with. */
  readonly message: string
  readonly since: number
  readonly until: number
}

/** Requests that wait to be tried again. They keep their leases and hold no slot. */
class RetryQueue {
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
