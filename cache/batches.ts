import type { Failure, Run } from './records.js'
import type { Lease } from './store/work.js'

/**
 * How far a batch came on its way to the provider.
 *
 * `filling`: requests are put in, nothing was sent. `ready`: it is whole. `creating`: the call that makes the provider
 * work was perhaps sent. `submitted`: the provider's name for it is known.
 */
export type BatchState = 'filling' | 'ready' | 'creating' | 'submitted'

/** Requests that are handed in to a provider together and answered within a day. Open as long as it holds any. */
export interface ProviderBatch {
  /** The store's own number. */
  readonly ref: number
  /** Our own name for it, by which it is found at the provider: twelve hexadecimal digits. */
  readonly name: string
  /** Where it was handed in: nobody who asks elsewhere can collect it. Never a key. */
  readonly address: string
  readonly state: BatchState
  /** Requests that were put in, less those that could not be sent. */
  readonly requests: number
  /** Those of them that have neither answer nor failure yet. */
  readonly open: number
  /** Milliseconds since 1970. */
  readonly createdAt: number
  /** When the call that makes the provider work was begun. */
  readonly creatingAt?: number
  /** The provider's name for the uploaded requests, where they are uploaded apart. */
  readonly upload?: string
  /** The provider's name for the batch. */
  readonly id?: string
  /** A command line that makes the provider stop working on it. */
  readonly cancelling?: string
}

/**
 * The batches of a store.
 *
 * A request in an open batch is leased to nobody, whatever process lives: the right to ask it is the batch's. Each batch
 * has an owner, the process that is at work on it; another takes it over when that one is gone.
 */
export interface BatchStore {
  /** A new batch of this process, without requests. */
  begin(name: string, address: string): Promise<ProviderBatch>
  /** Puts leased requests in: they are the batch's from now on. Leases that were taken over are left out. */
  add(batch: ProviderBatch, leases: readonly Lease[]): Promise<ProviderBatch>
  /** Takes one out again that can't be sent, with its failure. */
  reject(batch: ProviderBatch, lease: Lease, failure: Failure): Promise<ProviderBatch>
  /** Makes durable how far it came. @throws Error where it is no more this process's. */
  advance(
    batch: ProviderBatch,
    change: Pick<ProviderBatch, 'state'> & Partial<Pick<ProviderBatch, 'creatingAt' | 'upload' | 'id' | 'cancelling'>>,
  ): Promise<ProviderBatch>
  /** Open ones that hold requests of the run, or of any run; oldest first. */
  open(run?: Run): Promise<readonly ProviderBatch[]>
  /** Makes this process the owner; undefined while another living one is, and where the batch is not open any more. */
  adopt(batch: ProviderBatch): Promise<ProviderBatch | undefined>
  /** Its open requests in an order that stays, past the number `after`. They are asked for `run` where it has them. */
  requests(batch: ProviderBatch, run: Run, page: { after: number; limit: number }): Promise<readonly Lease[]>
  /** The open request whose key begins with these hexadecimal digits, for each of them that has one. */
  find(batch: ProviderBatch, run: Run, keys: readonly string[]): Promise<ReadonlyMap<string, Lease>>
  /** Gives back what it still holds: these requests may be asked again. */
  close(batch: ProviderBatch): Promise<void>
}
