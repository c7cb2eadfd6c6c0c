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
/** The same beside other processes, which would have nothing to do at the end of a run while one works through many leases. */
const sharedAheadMs = 2_000
/** The minimum number of leases that are taken at once beside other processes. */
const fewestAhead = 8
/** The number of items that a search reads if few of them may be free: those of chosen docs, or among the ones of other processes. */
const manyItems = 1_000
/** The shortest time between two searches for items of other processes, in milliseconds. */
const quickPollMs = 500
/** The longest delay after a search that took less than half of it, in milliseconds. The search may have been slow by chance. */
const patientPollMs = 4_000

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
  /** True if other processes work on most of the items that the last search read. */
  #areFewFree = false
  /** The number of leases of the last search. */
  #batchSize = Infinity
  #dataVersion = Number.NaN
  #lookedAt = 0
  /** The time that searches took since one found something. */
  #lookMs = 0
  #takenSince = 0
  /** The requests a millisecond that were taken until `#ratedAt`. */
  #rate = 0
  #ratedAt = 0

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
    const fewest = Math.max(Math.min(this.#options.slots(), this.#batchSize), this.#batchSize / 4)
    return !this.#isLooking && !this.#reachedEnd && this.length < fewest
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
    if (this.length >= this.#options.slots()) return false
    const since = this.#options.clock.now() - this.#lookedAt
    const { store } = this.#options
    // A slow search is repeated rarely. Otherwise the process would do nothing else.
    const soonest = Math.max(quickPollMs, Math.min(10 * this.#lookMs, Math.max(patientPollMs, 2 * this.#lookMs)))
    if (since >= Math.max(soonest, store.slowPollMs ?? 0)) return true
    // Items of other processes are searched as a whole, and these processes commit all the time. Few of their items become free.
    if (this.#elsewhereFrom !== undefined) return false
    return (await store.dataVersion()) !== this.#dataVersion
  }

  /** Searches items of other processes again, or else continues where the last search ended. */
  lookAgain(): void {
    this.#reachedEnd = false
    this.#after = this.#elsewhereFrom ?? this.#after
    this.#elsewhereFrom = undefined
    this.#seen = []
    this.#lookMs = 0
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
        limit: isMeant === undefined && !this.#areFewFree ? this.#batchSize : Math.max(this.#batchSize, manyItems),
        most: this.#batchSize,
        retryFailed,
        failuresAfter,
        ...present({ isMeant }),
      })
      const tookMs = clock.now() - startedAt
      this.#lookMs = found.leases.length > 0 ? 0 : this.#lookMs + tookMs
      if (found.elsewhere > 0) this.#elsewhereFrom ??= this.#after
      this.#areFewFree = found.elsewhere > 0 && found.leases.length < this.#batchSize / 2
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

  /** Returns how many requests are leased at once, by the current rate and the number of slots. */
  #sizeBatch(now: number): number {
    this.#lookedAt = now
    const isShared = this.#seen.length > 0 || this.#holders.length > 0
    const elapsedMs = now - this.#ratedAt
    // Beside other processes, a burst into free slots is no rate.
    if (this.#takenSince > 0 && (!isShared || elapsedMs >= aheadMs)) {
      this.#rate = this.#takenSince / Math.max(1, elapsedMs)
      this.#ratedAt = now
      this.#takenSince = 0
    }
    // The time before the first request does not count.
    if (this.#takenSince === 0 && this.#rate === 0) this.#ratedAt = now
    const slots = this.#options.slots()
    const alone = Math.max(aheadPerSlot * slots, this.#rate * aheadMs)
    const shared = Math.max(fewestAhead, this.#rate === 0 ? slots : this.#rate * sharedAheadMs)
    const ahead = isShared ? Math.min(alone, shared) : alone
    return Math.min(mostAhead, Math.ceil(ahead))
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
