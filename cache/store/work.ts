/** What is handed in to a store to be asked, given out to be worked on, and known of it. */
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

/** One doc as the input stage leaves it. */
export interface DraftDoc {
  readonly index: number
  readonly id: string
  readonly record: JudgeRecord
  /** In the order of choice, then sample. */
  readonly requests: readonly DraftRequest[]
  /** Files that its media were read from: an edit of one of them makes the run another one. */
  readonly files?: readonly SourceFile[]
}

/** A file as it was when a run was made from it. */
export interface SourceFile {
  /** Absolute. */
  readonly path: string
  /** The same bytes have the same SHA-256, as a file or as a medium. */
  readonly digest: MediaDigest
}

/** A request, or why none could be made of the doc (a broken medium). */
export type DraftRequest =
  | { readonly choice: number; readonly sample: number; readonly input: Input; readonly generation: GenerationKwargs }
  | { readonly choice: number; readonly sample: number; readonly failure: Failure }

/** How far the input stage came with one task. */
export interface InputProgress {
  /** Docs committed, which is the index of the next one. */
  readonly docs: number
  readonly finished: boolean
}

/** An answer with what is kept beside it. */
export interface StoredAnswer {
  readonly body: ResponseBody
  readonly meta: ResponseMeta
}

/** The right to ask one request, for as long as this process says that it lives. */
export interface Lease {
  /** The store's own number of the request. */
  readonly request: number
  /** Grows with every lease given; an older one can no longer change anything but add an answer that is still missing. */
  readonly token: number
  readonly key: ResponseKey
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample: number
  /** The batch that holds it in place of a token, where it was handed in to a provider. */
  readonly batch?: number
  /** One of the docs that ask this, for messages. */
  readonly item: { readonly run: number; readonly id: number; readonly task: string; readonly doc: string }
}

export interface LeaseQuery {
  /** Items up to this number were looked at already; 0 at the start. */
  readonly after: number
  readonly limit: number
  /** Also what failed in a permanent class before. */
  readonly retryFailed: boolean
}

export interface LeaseResult {
  readonly leases: readonly Lease[]
  /** Pass it as `after` next time. */
  readonly next: number
  /** Whether the end of the run's present items was reached. */
  readonly exhausted: boolean
  /** Items seen that another process is working on. Look again later. */
  readonly elsewhere: number
  /** The processes that work on these. */
  readonly holders: readonly Holder[]
}

/** Another process that works on something. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Whether it is on this host. */
  readonly isHere: boolean
  /** Items that it works on, as far as they were seen. */
  readonly items: number
  /** Milliseconds for which it was not heard of. At 60 seconds it loses its leases. */
  readonly silentMs: number
}

/** What became of a request so far. */
export type KnownRequest =
  | { readonly type: 'answered'; readonly meta: ResponseMeta }
  /** For good: nobody asks it again unless told to. */
  | { readonly type: 'failed' }

/** State of a run, derived from what is stored. */
export interface RunCounts {
  readonly docs: number
  /** In the order of the run's tasks. */
  readonly docsByTask: readonly number[]
  readonly items: number
  readonly answered: number
  /** Items whose latest attempt failed and that have no answer, by class. */
  readonly failed: Readonly<Partial<Record<FailureClass, number>>>
  /** Of those, what the next start asks again by itself. */
  readonly open: number
  /** Items with neither answer nor failure. */
  readonly pending: number
  readonly inputFinished: boolean
}

export interface FailedItem {
  readonly task: string
  readonly doc: string
  readonly index: number
  readonly choice: number
  readonly sample: number
  readonly failure: Failure
}
