/** Defines the work that a store receives, leases and counts. */
import type { MediaDigest, ResponseKey } from '../digest.js'
import type {
  Failure,
  FailureClass,
  GenerationKwargs,
  Input,
  JudgeRecord,
  ResponseBody,
  ResponseMeta,
} from '../records.js'

/** One doc as the input stage commits it. */
export interface DraftDoc {
  readonly index: number
  readonly id: string
  readonly record: JudgeRecord
  /** The requests in the order of choice, then sample. */
  readonly requests: readonly DraftRequest[]
  /** The files that the doc's media were read from. Editing one of them makes a new run. */
  readonly files?: readonly SourceFile[]
}

/** A file with its content when a run was made from it. */
export interface SourceFile {
  /** The absolute path. */
  readonly path: string
  /** The SHA-256 of the content, which is the same for a file and a medium. */
  readonly digest: MediaDigest
}

/** A request, or the reason why none could be made from the doc (a broken medium). */
export type DraftRequest =
  | {
      readonly choice: number
      /** The index of the repeat. */
      readonly sample: number
      /**
       * The sample index in the response key: a sampled answer is a draw of its doc alone, so equal requests of a run
       * have different draws. @default `sample`
       */
      readonly draw?: number
      readonly input: Input
      readonly generation: GenerationKwargs
    }
  | { readonly choice: number; readonly sample: number; readonly failure: Failure }

/** The progress of the input stage with one task. */
export interface InputProgress {
  /** The number of committed docs, which is the index of the next one. */
  readonly docs: number
  readonly finished: boolean
}

/** An answer with its metadata. */
export interface StoredAnswer {
  readonly body: ResponseBody
  readonly meta: ResponseMeta
}

/** The right to send one request. It lasts while this process writes heartbeats. */
export interface Lease {
  /** The request's number in this store. */
  readonly request: number
  /** The fencing token. It grows with every lease. A holder of an older token can only add an answer that is still missing. */
  readonly token: number
  readonly key: ResponseKey
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample: number
  /** The batch that holds the request instead of a token, if it was submitted in a batch. */
  readonly batch?: number
  /** One of the docs with this request, for messages. */
  readonly item: { readonly run: number; readonly id: number; readonly task: string; readonly doc: string }
}

/** Selects the requests to lease. */
export interface LeaseQuery {
  /** The cursor: items up to this number were read already. 0 at the start. */
  readonly after: number
  /** The maximum number of items that are read. */
  readonly limit: number
  /** The maximum number of leases. @default the limit */
  readonly most?: number
  /** True to include requests with a permanent failure. */
  readonly retryFailed: boolean
  /**
   * Failures of this process up to this number belong to an earlier invocation, so their requests are open again. `RequestStore.lastFailure` returns
   * the number. @default 0: requests that failed in this process are not leased again
   */
  readonly failuresAfter?: number
  /** Selects the docs whose requests are leased, by the task's index in the run and the doc's id. @default all docs */
  readonly isMeant?: (task: number, doc: string) => boolean
}

/** The leased requests, and the number of those that other processes hold. */
export interface LeaseResult {
  readonly leases: readonly Lease[]
  /** The cursor for the next call. */
  readonly next: number
  /** True if the end of the run's present items was reached. */
  readonly exhausted: boolean
  /** The number of items that other processes work on. They must be searched again later. */
  readonly elsewhere: number
  /** The processes that work on these items. */
  readonly holders: readonly Holder[]
}

/** Another process that works on the run. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** True if the process runs on this host. */
  readonly isHere: boolean
  /** The number of its items that were read. */
  readonly items: number
  /** Milliseconds since its last heartbeat. At 60 seconds it loses its leases. */
  readonly silentMs: number
}

/** A process that works on runs or jobs of a store. */
export interface WorkingProcess extends Holder {
  /** False if the process was silent for a minute or has died, and nobody has taken over its leases. */
  readonly isAlive: boolean
  /** The numbers of the runs that it works on. */
  readonly runs: readonly number[]
  /** The ids of the jobs that it has. */
  readonly jobs: readonly string[]
  /** The answers that it has stored, as of its last heartbeat. */
  readonly answers: number
  /** Answers a second before its last heartbeat. Processes that store answers write one every two seconds. */
  readonly perSecond: number
}

/** The state of a known request. */
export type KnownRequest =
  | { readonly type: 'answered'; readonly meta: ResponseMeta }
  /** A permanent failure, which is retried only on demand. */
  | { readonly type: 'failed' }

/** The state of a run, computed from its rows. */
export interface RunCounts {
  readonly docs: number
  /** The number of docs by task, in the run's order. */
  readonly docsByTask: readonly number[]
  readonly items: number
  readonly answered: number
  /** Items without an answer whose latest attempt failed, by class. */
  readonly failed: Readonly<Partial<Record<FailureClass, number>>>
  /** The number of these failures that the next start retries. */
  readonly open: number
  /** Items with neither an answer nor a failure. */
  readonly pending: number
  /** Items without an answer whose request another such item has, too: one answer serves all. */
  readonly shared: number
  readonly inputFinished: boolean
}

/** The counts of a run's docs and requests by state. */
export interface RunProgress {
  readonly docs: number
  /** The number of items so far. It grows while docs are read. */
  readonly items: number
  readonly answered: number
  /** Items without an answer that failed. */
  readonly failed: number
  /** Docs with a score in the newest judgement. */
  readonly scored: number
  readonly inputFinished: boolean
  /** The time when a command last started the run. Milliseconds since 1970. */
  readonly startedAt: number
  /** True if a living process works on the run. */
  readonly isWorkedOn: boolean
  /** The time when the newest answer arrived, or one of the newest. Milliseconds since 1970. */
  readonly lastAnswerAt?: number
}

/** An item whose latest attempt failed. */
export interface FailedItem {
  readonly task: string
  readonly doc: string
  readonly index: number
  readonly choice: number
  readonly sample: number
  readonly failure: Failure
}
