import type { ResponseKey } from '../digest.js'
import type { Failure, ResponseBody, ResponseMeta, Run } from '../records.js'
import type { MissReport } from './reports.js'
import type { DraftDoc, FailedItem, KnownRequest, Lease, LeaseQuery, LeaseResult, StoredAnswer } from './work.js'

/** Something of one task of a run. */
export interface OfTask<T> {
  /** The task's place among the run's tasks. */
  readonly task: number
  readonly value: T
}

/** What the model stage needs of a store: requests to answer, and a sign that others have committed. */
export interface AskingStore {
  readonly requests: Pick<RequestStore, 'lease' | 'holds' | 'commitResponse' | 'commitFailure' | 'release'>
  dataVersion(): number
}

/** Requests with their leases, responses and failures. Runs share them by key. */
export interface RequestStore {
  lease(run: Run, query: LeaseQuery): Promise<LeaseResult>
  /** Whether a lease is still held: a process that was not heard of for long has lost its leases to others. Cheap. */
  holds(lease: Lease): boolean
  /**
   * Resolves when the answer is durable. One transaction holds all answers that wait.
   *
   * @param kept called before that, when the end of this process can't undo it any more, though a power cut still can
   * @returns whether it was the first for its key
   */
  commitResponse(lease: Lease, body: ResponseBody, meta: ResponseMeta, kept?: () => void): Promise<boolean>
  commitFailure(lease: Lease, failure: Failure): Promise<void>
  /** Releases leases that were not used. */
  release(leases: readonly Lease[]): Promise<void>
  /** Fails every request of a run that is neither answered nor failed, except those that other living processes work on. @returns how many */
  failWaiting(run: Run, failure: Failure): Promise<number>
  /** Deletes all failures of class `budget` of a run: its requests are pending again. */
  reopenOverBudget(run: Run): Promise<void>
  failures(run: Run): Promise<readonly FailedItem[]>
  /** What became of a request, whichever run asked it: its answer, or the failure that holds for good. */
  answerOf(key: ResponseKey): Promise<StoredAnswer | { readonly failure: Failure } | undefined>
  /**
   * Keeps what was asked for the sake of another request, with its answer, as an item of the run: both or neither.
   *
   * @param doc with one request
   * @returns the answer that holds: an earlier one under its key, if there is one
   */
  keepAnswer(run: Run, doc: DraftDoc, answer: StoredAnswer): Promise<StoredAnswer>
  /** What the store knows of requests, in the order of their keys: undefined of one that is neither answered nor failed for good. */
  known(keys: readonly ResponseKey[]): Promise<readonly (KnownRequest | undefined)[]>
  /** The metadata of a run's answers, each request once, with the task that asked it first, a page at a time. */
  answerMetas(run: Run): AsyncIterable<readonly OfTask<ResponseMeta>[]>
  /** Every failure that requests of the run met when they were sent, oldest first, also of those that were answered since. */
  metFailures(run: Run): Promise<readonly OfTask<Failure>[]>
  /** The lowest sample index that no request was ever asked with. */
  nextSample(): Promise<number>
  /** In which fields the requests of two runs differ. */
  whyMiss(a: Run, b: Run): Promise<MissReport>
}
