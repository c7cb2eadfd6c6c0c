/** Defines the interface of the store, through which the stages exchange data. `openStore` in `cache/open.ts` opens one. */
import type { ProcessIdentity } from '../base/processes/process-identity.js'
import type { BatchStore } from './batches.js'
import type { DocStore } from './store/doc-store.js'
import type { FileStore } from './store/file-store.js'
import type { JobStore } from './store/job-store.js'
import type { JudgementStore } from './store/judgement-store.js'
import type { LabelStore } from './store/label-store.js'
import type { MediaStore } from './store/media-store.js'
import type { RequestStore } from './store/request-store.js'
import type { SampleIndex } from './store/sample-index.js'
import type { RunStore } from './store/run-store.js'
import type { TokenStore } from './store/token-store.js'
import type { StoreUpkeep } from './store/upkeep.js'
import type { ValueStore } from './store/value-store.js'

export type * from './store/doc-store.js'
export type * from './store/file-store.js'
export type * from './store/job-store.js'
export type * from './store/judgement-store.js'
export type * from './store/label-store.js'
export type * from './store/media-store.js'
export type * from './store/reports.js'
export type * from './store/request-store.js'
export type * from './store/run-store.js'
export type * from './store/sample.js'
export type * from './store/sample-index.js'
export type * from './store/token-store.js'
export type * from './store/upkeep.js'
export type * from './store/value-store.js'
export type * from './store/work.js'

/** A process that works on a store and may hold leases in it. */
export type Owner = ProcessIdentity

/** An opened store: runs, requests, judgements, media, labels and jobs. */
export interface Store {
  /** The text that opens this store again, such as a folder's absolute path. It holds no password, so messages may show it. */
  readonly location: string
  /**
   * A folder of this machine for files that other programs and people read: sealed runs, submissions, logs, compiled code and downloads. Nothing that
   * another machine needs may be only there.
   */
  readonly workFolder: string
  readonly readOnly: boolean
  readonly runs: RunStore
  readonly docs: DocStore
  readonly requests: RequestStore
  readonly judgements: JudgementStore
  /** Finds samples of runs by filters, order and search. */
  readonly samples: SampleIndex
  readonly media: MediaStore
  readonly files: FileStore
  /** Requests submitted to a provider's batch API. See {@link BatchStore}. */
  readonly batches: BatchStore
  readonly values: ValueStore
  /** The labels that people gave to answers. */
  readonly labels: LabelStore
  /** The jobs of a service. */
  readonly jobs: JobStore
  /** The access tokens of the service. */
  readonly tokens: TokenStore
  readonly upkeep: StoreUpkeep

  /** Reads a number that changes whenever another process commits. It is cheap, and reads no rows. */
  dataVersion(): Promise<number>
  /** See AskingStore. */
  readonly slowPollMs?: number

  /** Writes a heartbeat, to learn whether the store takes writes. @throws PipelineError (store) if it does not */
  probe(): Promise<void>

  /** Waits until every write is durable, releases all leases and closes the store. */
  close(): Promise<void>
}
