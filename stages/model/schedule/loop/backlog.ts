import type { Lease } from '../../../../cache/store.js'
import { LeaseQueue, type LeaseQueueOptions } from './lease-queue.js'
import type { PendingRequest } from './pending-request.js'
import { RetryQueue } from './retry-queue.js'

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

  /** So many wait to be tried again that nothing new is begun: else a refusing server would be asked everything. */
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
