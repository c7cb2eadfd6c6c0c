import type { ResponseKey } from '../digest.js'
import type { Failure, ResponseBody, ResponseMeta, Run } from '../records.js'
import type { KeyParts, MissReport } from './reports.js'
import type { DraftDoc, FailedItem, KnownRequest, Lease, LeaseQuery, LeaseResult, StoredAnswer } from './work.js'

/** A value that belongs to one task of a run. */
export interface OfTask<T> {
  /** The task's index in the run. */
  readonly task: number
  readonly value: T
}

/** The part of the store that the model stage uses: pending requests, and a sign that other processes have committed. */
export interface AskingStore {
  readonly requests: Pick<
    RequestStore,
    'lease' | 'lastFailure' | 'holds' | 'commitResponse' | 'commitFailure' | 'release'
  >
  dataVersion(): Promise<number>
  /**
   * The milliseconds after which a process that waits for others searches again without a notification. @default 500, for a store with cheap searches
   */
  readonly slowPollMs?: number
}

/** Stores requests with their leases, responses and failures. Runs share them by key. */
export interface RequestStore {
  lease(run: Run, query: LeaseQuery): Promise<LeaseResult>
  /** Returns the number of the latest failure of any run, 0 if there is none. An invocation passes it to `lease` to retry earlier failures. */
  lastFailure(): Promise<number>
  /**
   * Tells which leases are still valid, in order. A process that was silent for a minute has lost its leases. Pass all requests that are about to be
   * sent in one call.
   */
  holds(leases: readonly Lease[]): Promise<readonly boolean[]>
  /**
   * Stores an answer. Resolves when it is durable. One transaction stores all waiting answers.
   *
   * @param kept called after the commit. From then on, only a power cut can undo the write
   * @returns whether it was the first answer for its key
   */
  commitResponse(lease: Lease, body: ResponseBody, meta: ResponseMeta, kept?: () => void): Promise<boolean>
  commitFailure(lease: Lease, failure: Failure): Promise<void>
  /** Releases unused leases. */
  release(leases: readonly Lease[]): Promise<void>
  /** Fails every pending request of a run, except those that other living processes work on. @returns their number */
  failWaiting(run: Run, failure: Failure): Promise<number>
  /** Deletes all failures of class `budget` of a run, so that its requests are pending again. */
  reopenOverBudget(run: Run): Promise<void>
  failures(run: Run): Promise<readonly FailedItem[]>
  /** Returns the answer to a request, or its permanent failure, whichever run sent it. */
  answerOf(key: ResponseKey): Promise<StoredAnswer | { readonly failure: Failure } | undefined>
  /**
   * Stores a request that was sent on behalf of another one, with its answer, as an item of the run. Both are stored in one transaction.
   *
   * @param doc a doc with one request
   * @returns the stored answer, which may be an earlier one with the same key
   */
  keepAnswer(run: Run, doc: DraftDoc, answer: StoredAnswer): Promise<StoredAnswer>
  /** Tells which requests are answered or failed permanently, in the order of their keys. All others are undefined. */
  known(keys: readonly ResponseKey[]): Promise<readonly (KnownRequest | undefined)[]>
  /** Reads the metadata of a run's answers in pages. Each request occurs once, with its first task. */
  answerMetas(run: Run): AsyncIterable<readonly OfTask<ResponseMeta>[]>
  /** Lists every failure that sent requests of the run met, oldest first, including requests that were answered later. */
  metFailures(run: Run): Promise<readonly OfTask<Failure>[]>
  /** Returns the lowest sample index that no request has used. */
  nextSample(): Promise<number>
  /** Explains a response key: the keys inside it with their preimages. Undefined if no request has the key. */
  explain(key: ResponseKey): Promise<KeyParts | undefined>
  /** Finds the preimage fields in which the requests of two runs differ. */
  whyMiss(a: Run, b: Run): Promise<MissReport>
}
