import type { Clock } from '../../../../base/time/clock.js'
import type { Lease, RequestStore } from '../../../../cache/store.js'
import { LeaseQueue, type LeaseQueueOptions } from './lease-queue.js'
import type { PendingRequest } from './pending-request.js'

/** The requests of a loop that are not in flight: new ones, retries, and upcoming ones. */
export class Backlog {
  readonly queue: LeaseQueue
  readonly retries: RetryQueue
  readonly #slots: () => number
  /** Requests that are taken next, such as a request that the gate did not admit. */
  #upcoming: PendingRequest[] = []
  #isTurnOfNew = false
  /** Leases of cancelled attempts, to be released. */
  readonly #unused: Lease[] = []

  /** @param onDue called when a retry is due */
  constructor(options: LeaseQueueOptions, onDue: () => void) {
    this.queue = new LeaseQueue(options)
    this.retries = new RetryQueue(options.clock, onDue)
    this.#slots = options.slots
  }

  /** True if so many requests wait for a retry that no new ones are started. Otherwise a server that rejects everything would get all requests. */
  get isCrowded(): boolean {
    return this.retries.size >= 4 * Math.max(1, this.#slots())
  }

  /** True if a request may be sent now. */
  get hasNext(): boolean {
    return this.#upcoming.length > 0 || this.retries.isDue || (!this.isCrowded && this.queue.length > 0)
  }

  /** True if all requests were taken and no retry waits. */
  get isEmpty(): boolean {
    return this.queue.isFinished && this.retries.size === 0 && this.#unused.length === 0 && this.#upcoming.length === 0
  }

  /**
   * Takes the next request. Retries come first. But a request that is repeatedly rate limited takes turns with
   * new ones: its own content may be the cause. While one request at a time tests a server, it would otherwise be the
   * only one sent.
   */
  take(): PendingRequest | undefined {
    return this.#upcoming.shift() ?? this.#takeWaiting()
  }

  /** Lists up to `most` requests that `take` will return next. */
  listUpcoming(most: number): readonly PendingRequest[] {
    while (this.#upcoming.length < most) {
      const next = this.#takeWaiting()
      if (next === undefined) break
      this.#upcoming.push(next)
    }
    return this.#upcoming.slice(0, most)
  }

  /** Drops an upcoming request, whose lease another process took over. It is looked up again later. */
  #drop(request: PendingRequest): void {
    this.#upcoming = this.#upcoming.filter(upcoming => upcoming !== request)
    this.queue.lost(request.lease)
  }

  /**
   * Adds the next requests with valid leases to `held`. It drops requests whose lease another process took over after a long silence of this one.
   *
   * @returns whether a request was dropped
   */
  async findHeld(most: number, held: Set<PendingRequest>, requests: Pick<RequestStore, 'holds'>): Promise<boolean> {
    const upcoming = this.listUpcoming(most)
    const answers = await requests.holds(upcoming.map(({ lease }) => lease))
    const lost = upcoming.filter((_, index) => answers[index] !== true)
    for (const request of upcoming) if (!lost.includes(request)) held.add(request)
    for (const request of lost) this.#drop(request)
    return lost.length > 0
  }

  #takeWaiting(): PendingRequest | undefined {
    const taken = this.#isTurnOfNew
      ? (this.#takeNew() ?? this.retries.take())
      : (this.retries.take() ?? this.#takeNew())
    this.#isTurnOfNew = taken !== undefined && taken.throttled > 1
    return taken
  }

  #takeNew(): PendingRequest | undefined {
    return this.isCrowded ? undefined : this.queue.take()
  }

  /** Puts back a request that may not be sent now. It is taken next. */
  holdBack(request: PendingRequest): void {
    this.#upcoming.unshift(request)
  }

  /** Gives up a request that this process will not send. */
  giveUp(lease: Lease): void {
    this.#unused.push(lease)
  }

  /** Takes all leases, to be released. */
  takeAll(): readonly Lease[] {
    const upcoming = this.#upcoming.map(({ lease }) => lease)
    this.#upcoming = []
    return [...upcoming, ...this.queue.takeAll(), ...this.retries.takeAll(), ...this.#unused]
  }
}

interface DelayedRetry {
  readonly request: PendingRequest
  /** The message of the last failure. */
  readonly message: string
  readonly since: number
  readonly until: number
}

/** Requests that wait for a retry. They keep their leases, but hold no slot. */
class RetryQueue {
  readonly #clock: Clock
  readonly #onDue: () => void
  readonly #waiting = new Map<DelayedRetry, () => void>()
  #due: PendingRequest[] = []

  constructor(clock: Clock, onDue: () => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** The number of waiting requests, due or not. */
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

  /** The next retry that will be due. Undefined if one is due now. */
  get next(): Omit<DelayedRetry, 'request'> | undefined {
    if (this.isDue) return undefined
    let next: DelayedRetry | undefined
    for (const waiting of this.#waiting.keys()) if (next === undefined || waiting.until < next.until) next = waiting
    return next
  }

  /** True if a retry is due. */
  get isDue(): boolean {
    return this.#due.length > 0
  }

  /** Takes a due retry, in the order of their times. */
  take(): PendingRequest | undefined {
    return this.#due.shift()
  }

  /** Takes all leases, to be released. */
  takeAll(): readonly Lease[] {
    for (const cancel of this.#waiting.values()) cancel()
    const leases = [...this.#due, ...[...this.#waiting.keys()].map(({ request }) => request)].map(({ lease }) => lease)
    this.#waiting.clear()
    this.#due = []
    return leases
  }
}
