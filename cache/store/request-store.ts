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
   * The milliseconds after which a process that waits for others searches again without such a sign. @default 500, for a store whose searches are cheap
   */
  readonly slowPollMs?: number
}

/** Stores requests with their leases, responses and failures. Runs share them by key. */
export interface RequestStore {
  lease(run: Run, query: LeaseQuery): Promise<LeaseResult>
  /** Returns the number of the latest failure of any run, 0 if there is none. An invocation passes it to `lease` to retry earlier failures. */
  lastFailure(): Promise<number>
  /**
   * Tells which leases are still held, in their order. A process that was silent for a minute has lost its leases. Ask for all requests that are about
   * to be sent at once.
   */
  holds(leases: readonly Lease[]): Promise<readonly boolean[]>
  /**
   * Stores an answer. Resolves when it is durable. One transaction holds all answers that wait.
   *
   * @param kept called after the commit: from then on only a power cut can undo it, the end of the process cannot
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
   * Stores a request that was sent on behalf of another one, with its answer, as an item of the run. It stores both or
   * none.
   *
   * @param doc a doc with one request
   * @returns the stored answer: an earlier one under its key, if there is one
   */
  keepAnswer(run: Run, doc: DraftDoc, answer: StoredAnswer): Promise<StoredAnswer>
  /** Tells which requests are answered or failed permanently, in the order of their keys. All others are undefined. */
  known(keys: readonly ResponseKey[]): Promise<readonly (KnownRequest | undefined)[]>
  /** Reads the metadata of a run's answers in pages. Each request comes once, with the first task that has it. */
  answerMetas(run: Run): AsyncIterable<readonly OfTask<ResponseMeta>[]>
  /** Lists every failure that sent requests of the run met, oldest first, including requests that were answered later. */
  metFailures(run: Run): Promise<readonly OfTask<Failure>[]>
  /** Returns the lowest sample index that no request has used. */
  nextSample(): Promise<number>
  /** Returns what a response key stands for: the keys inside it with their preimages. Undefined if no request has the key. */
  explain(key: ResponseKey): Promise<KeyParts | undefined>
  /** Finds the preimage fields in which the requests of two runs differ. */
  whyMiss(a: Run, b: Run): Promise<MissReport>
}
