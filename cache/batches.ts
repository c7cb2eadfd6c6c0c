import type { Failure, Run } from './records.js'
import type { Lease } from './store/work.js'

/**
 * The progress of a batch on its way to the provider.
 *
 * `filling`: requests are added, nothing is sent yet. `ready`: all requests are in. `creating`: the call that creates
 * the batch at the provider may have been sent. `submitted`: the provider's id of the batch is known.
 */
export type BatchState = 'filling' | 'ready' | 'creating' | 'submitted'

/** A batch of requests that a provider answers within a day. It is open while a request is pending. */
export interface ProviderBatch {
  /** The batch's number in this store. */
  readonly ref: number
  /** The batch's name at the provider: twelve hexadecimal digits that this program generated. */
  readonly name: string
  /** The API address that the batch was submitted to. It can be collected only there. Not part of a key. */
  readonly address: string
  readonly state: BatchState
  /** The number of requests in the batch, without those that could not be sent. */
  readonly requests: number
  /** The number of requests that have neither an answer nor a failure yet. */
  readonly open: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** The start time of the call that creates the batch at the provider. Milliseconds since 1970. */
  readonly creatingAt?: number
  /** The provider's id of the uploaded requests, for providers with a separate upload. */
  readonly upload?: string
  /** The provider's id of the batch. */
  readonly id?: string
  /** A shell command that cancels the batch at the provider. */
  readonly cancelling?: string
}

/**
 * Stores the provider batches.
 *
 * A request in an open batch is leased to no process, since only the batch may send it. Each batch is owned by the
 * process that works on it. Another process may adopt it when the owner is gone.
 */
export interface BatchStore {
  /** Creates an empty batch that this process owns. */
  begin(name: string, address: string): Promise<ProviderBatch>
  /** Moves leased requests into the batch. Leases that another process took over are left out. */
  add(batch: ProviderBatch, leases: readonly Lease[]): Promise<ProviderBatch>
  /** Removes a request that cannot be sent from the batch, and stores its failure. */
  reject(batch: ProviderBatch, lease: Lease, failure: Failure): Promise<ProviderBatch>
  /** Commits a change of the batch's state. @throws Error if this process does not own the batch any more. */
  advance(
    batch: ProviderBatch,
    change: Pick<ProviderBatch, 'state'> & Partial<Pick<ProviderBatch, 'creatingAt' | 'upload' | 'id' | 'cancelling'>>,
  ): Promise<ProviderBatch>
  /** Lists open batches, oldest first: those that hold requests of the run, or all batches. */
  open(run?: Run): Promise<readonly ProviderBatch[]>
  /** Makes this process the owner. Returns undefined if another running process owns the batch, or if it is closed. */
  adopt(batch: ProviderBatch): Promise<ProviderBatch | undefined>
  /**
   * Reads a page of the batch's open requests after the number `after`, in a stable order. Each request is returned as an item of `run` if the run
   * contains it.
   */
  requests(batch: ProviderBatch, run: Run, page: { after: number; limit: number }): Promise<readonly Lease[]>
  /** Finds open requests by prefixes of their keys, in hexadecimal digits. */
  find(batch: ProviderBatch, run: Run, keys: readonly string[]): Promise<ReadonlyMap<string, Lease>>
  /** Closes the batch. Requests without an answer or a failure may be leased again. */
  close(batch: ProviderBatch): Promise<void>
}
