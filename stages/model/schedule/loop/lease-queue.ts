import type { Run } from '../../../../cache/records.js'
import { present } from '../../../../base/values/present.js'
import type { Holder, Lease, LeaseQuery, AskingStore } from '../../../../cache/store.js'
import type { Clock } from '../../../../base/time/clock.js'
import { arrangeBy, type Arrange, type DispatchOrder } from './dispatch-order.js'
import { pendingRequest, type PendingRequest } from './pending-request.js'

const mostAhead = 1_024
/** The number of leases for each slot that are ordered together. */
const aheadPerSlot = 4
/** Leases are taken this many milliseconds ahead of need. */
const aheadMs = 250
/** The minimum number of rows that a search for chosen docs reads, because few rows may match. */
const fewestRows = 1_000
/** The shortest time between two searches for items of other processes, in milliseconds. */
const quickPollMs = 500

export interface LeaseQueueOptions {
  readonly store: AskingStore
  readonly run: Run
  readonly retryFailed: boolean
  /** See LeaseQuery. */
  readonly failuresAfter?: number
  /** See LeaseQuery. */
  readonly isMeant?: LeaseQuery['isMeant']
  /** Returns the current maximum number of requests in flight. */
  readonly slots: () => number
  readonly clock: Clock
  /** The order within a batch of leases. */
  readonly order: DispatchOrder
  /** Tells whether no more items will come. */
  readonly upstreamFinished: () => Promise<boolean>
}

/**
 * Holds the leased requests that this process may send next.
 *
 * Leases are taken in batches, but only slightly ahead of need, because they block other processes. Requests leased by other processes are checked
 * from time to time. They become free when their process dies or is silent for long.
 */
export class LeaseQueue {
  readonly #options: LeaseQueueOptions
  #requests: PendingRequest[] = []
  #taken = 0
  #after = 0
  /** The position of the first item that another process works on. */
  #elsewhereFrom: number | undefined
  /** The holders of these items, from the current search and from the last complete one. */
  #seen: readonly Holder[] = []
  #holders: readonly Holder[] = []
  #reachedEnd = false
  /** Read before the last search, so that no later item was missed. */
  #noMoreWillCome = false
  #isLooking = false
  #batchSize = 0
  #dataVersion = Number.NaN
  #lookedAt = 0
  #lookMs = 0
  #takenSince = 0

  readonly #arrange: Promise<Arrange>

  constructor(options: LeaseQueueOptions) {
    this.#options = options
    this.#arrange = arrangeBy(options.order)
    // The error is thrown where the promise is awaited.
    this.#arrange.catch(() => undefined)
  }

  get length(): number {
    return this.#requests.length - this.#taken
  }

  /** True if all items were read, no other process works on any of them, and no more will come. */
  get isFinished(): boolean {
    return !this.#isLooking && this.length === 0 && this.#reachedEnd && !this.mayGrow
  }

  get isLooking(): boolean {
    return this.#isLooking
  }

  /** True if a batch should be leased now. */
  get isLow(): boolean {
    return !this.#isLooking && !this.#reachedEnd && this.length < Math.max(this.#options.slots(), this.#batchSize / 4)
  }

  /** True if work may appear without a notification: another process may commit items, or die. */
  get mayGrow(): boolean {
    return !this.#noMoreWillCome || this.#elsewhereFrom !== undefined
  }

  /** The other processes that work on the remaining items. */
  get holders(): readonly Holder[] {
    return this.#holders
  }

  take(): PendingRequest | undefined {
    const request = this.#requests[this.#taken]
    if (request === undefined) return undefined
    this.#taken += 1
    this.#takenSince += 1
    return request
  }

  /** Notes a lease that another process took over. The request is looked up again later. */
  lost({ item }: Lease): void {
    this.#elsewhereFrom = Math.min(this.#elsewhereFrom ?? Infinity, item.id - 1)
  }

  /** Takes all unused leases, to be released. */
  takeAll(): readonly Lease[] {
    return this.#takeRest().map(({ lease }) => lease)
  }

  /** Notes that this process committed new items. The next search continues where the last one ended. */
  expectMore(): void {
    this.#reachedEnd = false
  }

  /** True if it is time to search again without a notification. */
  async isStale(): Promise<boolean> {
    if (this.#isLooking || !this.#reachedEnd || !this.mayGrow) return false
    const since = this.#options.clock.now() - this.#lookedAt
    const { store } = this.#options
    // A slow search is repeated rarely. Otherwise the process would do nothing else.
    const soonest = Math.max(quickPollMs, 10 * this.#lookMs)
    if (since >= Math.max(soonest, store.slowPollMs ?? 0)) return true
    // Items of other processes are searched as a whole, and these processes commit all the time.
    if (this.#elsewhereFrom !== undefined && since < soonest) return false
    return (await store.dataVersion()) !== this.#dataVersion
  }

  /** Searches items of other processes again, or else continues where the last search ended. */
  lookAgain(): void {
    this.#reachedEnd = false
    this.#after = this.#elsewhereFrom ?? this.#after
    this.#elsewhereFrom = undefined
    this.#seen = []
  }

  /** Leases the next batch. @throws whatever the store throws */
  async refill(): Promise<void> {
    const { store, run, retryFailed, failuresAfter = 0, isMeant, clock } = this.#options
    this.#isLooking = true
    try {
      // Set before the search, so that items announced meanwhile are found by the next one.
      this.#reachedEnd = true
      this.#noMoreWillCome ||= await this.#options.upstreamFinished()
      this.#dataVersion = await store.dataVersion()
      const startedAt = clock.now()
      this.#batchSize = this.#sizeBatch(startedAt)
      const found = await store.requests.lease(run, {
        after: this.#after,
        limit: isMeant === undefined ? this.#batchSize : Math.max(this.#batchSize, fewestRows),
        retryFailed,
        failuresAfter,
        ...present({ isMeant }),
      })
      this.#lookMs = clock.now() - startedAt
      if (found.elsewhere > 0) this.#elsewhereFrom ??= this.#after
      this.#after = found.next
      this.#seen = together(this.#seen, found.holders)
      if (found.exhausted) this.#holders = this.#seen
      else this.#reachedEnd = false
      const now = clock.now()
      const arrange = await this.#arrange
      const more = arrange(found.leases.map(lease => pendingRequest(lease, now)))
      this.#requests = [...this.#takeRest(), ...more]
    } finally {
      this.#isLooking = false
    }
  }

  #takeRest(): readonly PendingRequest[] {
    const rest = this.#requests.slice(this.#taken)
    this.#requests = []
    this.#taken = 0
    return rest
  }

  /** The number of requests that are sent in {@link aheadMs} at the current rate. */
  #sizeBatch(now: number): number {
    const rate = this.#takenSince / Math.max(1, now - this.#lookedAt)
    this.#lookedAt = now
    this.#takenSince = 0
    return Math.min(mostAhead, Math.max(aheadPerSlot * this.#options.slots(), Math.ceil(rate * aheadMs)))
  }
}

/** Merges holders, since several batches may contain the same process. */
function together(seen: readonly Holder[], more: readonly Holder[]): readonly Holder[] {
  if (more.length === 0) return seen
  const byProcess = new Map<string, Holder>()
  for (const holder of [...seen, ...more]) {
    const name = `${holder.pid} ${holder.host}`
    byProcess.set(name, { ...holder, items: holder.items + (byProcess.get(name)?.items ?? 0) })
  }
  return [...byProcess.values()]
}
