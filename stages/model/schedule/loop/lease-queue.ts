import type { Run } from '../../../../cache/records.js'
import type { Holder, Lease, AskingStore } from '../../../../cache/store.js'
import type { Clock } from '../../../../base/time/clock.js'
import { arrangeBy, type Arrange, type DispatchOrder } from './dispatch-order.js'
import { pendingRequest, type PendingRequest } from './pending-request.js'

const mostAhead = 1_024
/** For each slot this many leases are put in order among each other. */
const aheadPerSlot = 4
/** Work is leased ahead of need so that the next lease has this long to come. */
const aheadMs = 250

export interface LeaseQueueOptions {
  readonly store: AskingStore
  readonly run: Run
  readonly retryFailed: boolean
  /** Requests under way at once, now. */
  readonly slots: () => number
  readonly clock: Clock
  /** The order within a batch of leases. */
  readonly order: DispatchOrder
  /** Whether no more items will come. */
  readonly upstreamFinished: () => Promise<boolean>
}

/**
 * The requests that this process may ask next.
 *
 * Leases are taken in batches, ahead of need but not far: what is leased here, another process cannot take. What another
 * process had leased is looked at again from time to time, since it comes back when that process dies or is silent for long.
 */
export class LeaseQueue {
  readonly #options: LeaseQueueOptions
  #requests: PendingRequest[] = []
  #taken = 0
  #after = 0
  /** The place of the first item that another process works on. */
  #elsewhereFrom: number | undefined
  /** Who works on those items, as far as they were seen in this look and in the last whole one. */
  #seen: readonly Holder[] = []
  #holders: readonly Holder[] = []
  #reachedEnd = false
  /** Said before the last look, so that nothing can have come after it unseen. */
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
    // Thrown where it is waited for.
    this.#arrange.catch(() => undefined)
  }

  get length(): number {
    return this.#requests.length - this.#taken
  }

  /** Whether all there is was looked at, nobody else works on any of it, and no more will come. */
  get isFinished(): boolean {
    return !this.#isLooking && this.length === 0 && this.#reachedEnd && !this.mayGrow
  }

  get isLooking(): boolean {
    return this.#isLooking
  }

  /** Whether a batch should be leased now. */
  get isLow(): boolean {
    return !this.#isLooking && !this.#reachedEnd && this.length < Math.max(this.#options.slots(), this.#batchSize / 4)
  }

  /** Whether something may come that nobody tells of: another process may commit items, or die. */
  get mayGrow(): boolean {
    return !this.#noMoreWillCome || this.#elsewhereFrom !== undefined
  }

  /** Who works on what is left, where others do. */
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

  /** A lease was lost to another process: what became of the request is looked for later. */
  lost({ item }: Lease): void {
    this.#elsewhereFrom = Math.min(this.#elsewhereFrom ?? Infinity, item.id - 1)
  }

  /** All that was not taken, to be given back. */
  takeAll(): readonly Lease[] {
    return this.#takeRest().map(({ lease }) => lease)
  }

  /** New items were committed by this process: the next look goes on from where the last one ended. */
  expectMore(): void {
    this.#reachedEnd = false
  }

  /** Whether it is time to look again although nobody told. */
  isStale(): boolean {
    if (this.#isLooking || !this.#reachedEnd || !this.mayGrow) return false
    const since = this.#options.clock.now() - this.#lookedAt
    // A look that takes long is repeated seldom, or it would be all that is done.
    if (since >= Math.max(500, 10 * this.#lookMs)) return true
    return this.#elsewhereFrom === undefined && this.#options.store.dataVersion() !== this.#dataVersion
  }

  /** Looks again at what others worked on, or else from where the last look ended. */
  lookAgain(): void {
    this.#reachedEnd = false
    this.#after = this.#elsewhereFrom ?? this.#after
    this.#elsewhereFrom = undefined
    this.#seen = []
  }

  /** Leases the next batch. @throws whatever the store throws. */
  async refill(): Promise<void> {
    const { store, run, retryFailed, clock } = this.#options
    this.#isLooking = true
    try {
      // Set before looking, so that what is announced meanwhile is looked at next.
      this.#reachedEnd = true
      this.#noMoreWillCome ||= await this.#options.upstreamFinished()
      this.#dataVersion = store.dataVersion()
      const startedAt = clock.now()
      this.#batchSize = this.#sizeBatch(startedAt)
      const found = await store.requests.lease(run, { after: this.#after, limit: this.#batchSize, retryFailed })
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

  /** The number of requests that are used up in {@link aheadMs} at the present rate. */
  #sizeBatch(now: number): number {
    const rate = this.#takenSince / Math.max(1, now - this.#lookedAt)
    this.#lookedAt = now
    this.#takenSince = 0
    return Math.min(mostAhead, Math.max(aheadPerSlot * this.#options.slots(), Math.ceil(rate * aheadMs)))
  }
}

/** The same process may be met in several batches. */
function together(seen: readonly Holder[], more: readonly Holder[]): readonly Holder[] {
  if (more.length === 0) return seen
  const byProcess = new Map<string, Holder>()
  for (const holder of [...seen, ...more]) {
    const name = `${holder.pid} ${holder.host}`
    byProcess.set(name, { ...holder, items: holder.items + (byProcess.get(name)?.items ?? 0) })
  }
  return [...byProcess.values()]
}
