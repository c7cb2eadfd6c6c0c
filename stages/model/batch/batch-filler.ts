import type { ProviderBatch } from '../../../cache/batches.js'
import { present } from '../../../base/values/present.js'
import type { Lease } from '../../../cache/store.js'
import { makeModelRequest } from '../model-request.js'
import { AttemptError } from '../model.js'
import type { SentAlike } from './batch-client.js'
import { batchName, type BatchWork, customId, settle } from './batch-work.js'
import type { BatchOptions } from '../infer-options.js'

const pageSize = 256

/** Puts pending requests of a run into batches as they appear. */
export class BatchFiller {
  readonly #work: BatchWork
  #most: BatchOptions['most']
  #batch: ProviderBatch | undefined
  #bytes = 0
  #after = 0
  /** The position of the first item that another process works on. */
  #elsewhereFrom: number | undefined
  /** The position of the first item that was postponed. */
  #leftFrom: number | undefined
  #held: 'for now' | 'for good' | undefined
  /** True if a request of this page waits for the answer to one in a batch that sends the same. */
  #isPostponed = false

  constructor(work: BatchWork, most: BatchOptions['most']) {
    this.#work = work
    this.#most = most
  }

  /** The batch that is being filled. All other open batches are full, or were left by another process. */
  get current(): ProviderBatch | undefined {
    return this.#batch
  }

  /** True if the last search found requests of other processes, which may leave them. */
  get isWaitingForOthers(): boolean {
    return this.#elsewhereFrom !== undefined
  }

  /** Set if the gate admits no more requests. `for now`: until an answer shows the cost of requests. `for good`: for the rest of this process. */
  get held(): 'for now' | 'for good' | undefined {
    return this.#held
  }

  /** True if requests were postponed that this process may submit later. */
  get hasLeft(): boolean {
    return this.#leftFrom !== undefined
  }

  /** Lowers the maximum number of requests in the next batches. */
  shrink(requests: number): void {
    this.#most = { ...this.#most, requests }
  }

  /** Starts the next search from the beginning, because requests were released. */
  restart(): void {
    this.#leftFrom = 0
  }

  /**
   * Fills batches with pending requests, and hands each full batch to the caller.
   *
   * @param isLast true if no more requests will come, so that the last batch is passed on as it is
   * @param mayGoOn tells whether another batch may be passed on now
   */
  async fill(
    isLast: boolean,
    handOn: (batch: ProviderBatch) => Promise<void>,
    mayGoOn: () => boolean = () => true,
  ): Promise<void> {
    const { store, run, retryFailed, failuresAfter = 0, isMeant } = this.#work.options
    const isOver = (): boolean => this.#work.mustEnd() || !mayGoOn()
    const readHold = () => this.#held
    const hasPostponed = () => this.#isPostponed
    this.#after = Math.min(this.#after, this.#elsewhereFrom ?? Infinity, this.#leftFrom ?? Infinity)
    this.#elsewhereFrom = undefined
    this.#leftFrom = undefined
    this.#held = undefined
    for (let isExhausted = false; !isExhausted && readHold() === undefined && !isOver();) {
      const from = this.#after
      const query = { after: from, limit: pageSize, retryFailed, failuresAfter, ...present({ isMeant }) }
      const page = await store.requests.lease(run, query)
      if (page.elsewhere > 0) this.#elsewhereFrom ??= from
      this.#after = page.next
      isExhausted = page.exhausted
      this.#isPostponed = false
      await this.#takeIn(page.leases, { handOn, isOver })
      // Requests that were not taken are found again from the start of their page.
      if (hasPostponed() || readHold() === 'for now' || isOver()) this.#leftFrom ??= from
    }
    if ((isLast || readHold() !== undefined) && !isOver()) await this.#handOn(handOn)
  }

  /** Releases requests that were not passed on. */
  async giveUp(): Promise<void> {
    if (this.#batch !== undefined) await this.#work.batches.close(this.#batch)
    this.#batch = undefined
  }

  async #takeIn(
    leases: readonly Lease[],
    { handOn, isOver }: { readonly handOn: (batch: ProviderBatch) => Promise<void>; readonly isOver: () => boolean },
  ): Promise<void> {
    const { options, tickets } = this.#work
    let takenLeases: Lease[] = []
    const putOff = (lease: Lease): void => settle(this.#work, lease.key, { type: 'unsent' })
    for (const lease of leases) {
      const bytes = await this.#measure(lease)
      if (bytes === undefined) continue
      const ticket = options.gate?.admit(lease)
      if (ticket !== undefined) tickets.set(lease.key, ticket)
      else if (options.gate !== undefined) {
        this.#held = options.drain.aborted ? 'for good' : 'for now'
        break
      }
      if (!this.#hasRoom(takenLeases.length, bytes)) {
        await this.#add(takenLeases)
        takenLeases = []
        await this.#handOn(handOn)
        if (isOver()) {
          putOff(lease)
          break
        }
      }
      takenLeases.push(lease)
      this.#bytes += bytes
    }
    if (isOver()) takenLeases.forEach(putOff)
    else await this.#add(takenLeases)
    if (isOver() || this.#held !== undefined) await options.store.requests.release(leases)
  }

  #hasRoom(takenCount: number, bytes: number): boolean {
    const requests = (this.#batch?.requests ?? 0) + takenCount
    return requests === 0 || (requests < this.#most.requests && this.#bytes + bytes <= this.#most.bytes)
  }

  async #add(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return
    const { batches, client, options } = this.#work
    this.#batch ??= await batches.begin(batchName(options.random), client.address)
    this.#batch = await batches.add(this.#batch, leases)
  }

  async #handOn(handOn: (batch: ProviderBatch) => Promise<void>): Promise<void> {
    const batch = this.#batch
    this.#batch = undefined
    this.#bytes = 0
    if (batch === undefined || batch.open === 0) return
    await handOn(await this.#work.batches.advance(batch, { state: 'ready' }))
  }

  /** Computes the size of a request in a batch. Undefined if it is not sent: another one sends the same, or it cannot be, which is stored as its failure. */
  async #measure(lease: Lease): Promise<number | undefined> {
    const { client, options } = this.#work
    try {
      const request = makeModelRequest(lease)
      if (await this.#isShared(lease, await client.findAlike?.(request))) return undefined
      const bytes = await client.measure({ id: customId('0'.repeat(12), lease.key), request })
      if (bytes <= this.#most.bytes) return bytes
      throw new AttemptError('invalid_request', `takes ${bytes} bytes, more than a batch may have`, {
        isRetryable: false,
      })
    } catch (error) {
      if (!(error instanceof AttemptError)) throw error
      const failure = { class: error.class, message: error.message, attempts: 1 }
      await options.store.requests.commitFailure(lease, failure)
      options.emit({ type: 'request-failed', class: error.class, message: error.message })
      options.answered.notify()
      return undefined
    }
  }

  /** Takes the answer of a request that sent the same, or puts this one off until the answer of an open one. */
  async #isShared(lease: Lease, alike: SentAlike | undefined): Promise<boolean> {
    if (alike === undefined) return false
    const { options, firsts, sents } = this.#work
    const { store, clock, stamp } = options
    const { sent, answer } = alike
    const { key } = lease
    if (answer !== undefined) {
      const answeredAt = clock.wallNow()
      const about = { durationMs: 0, attempts: 1, answeredAt, ...stamp, batch: true } as const
      await store.requests.commitResponse(lease, answer.body, about)
      options.emit({ type: 'answered', requests: 1 })
      options.answered.notify()
      return true
    }
    if ((firsts.get(sent) ?? key) !== key) {
      await store.requests.release([lease])
      this.#isPostponed = true
      return true
    }
    firsts.set(sent, key)
    sents.set(key, sent)
    await alike.remember()
    return false
  }
}
