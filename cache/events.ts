import type { FailureClass } from './records.js'
import type { Holder, RunCounts } from './store/work.js'

/** The values of a metric for docs of one task: their sum, the sum of their squares, and their number. */
export interface RunningScore {
  readonly task: string
  readonly metric: string
  readonly sum: number
  readonly squares: number
  readonly n: number
}

/**
 * Reports the work of a stage. Stages never print: `src/` decides what a person sees. Numbers count from the
 * previous event of the same type.
 */
export type StageEvent =
  | {
      readonly type: 'task-opened'
      readonly task: string
      readonly docs?: number
      /** True if the selection names `docs`, and the dataset may have fewer. */
      readonly isAtMost?: true
    }
  | {
      readonly type: 'docs-read'
      readonly task: string
      readonly docs: number
      /** The number of requests made from the docs, including those that failed before sending. */
      readonly requests: number
      /** The number of these requests that equal requests of earlier docs, and share their answers. */
      readonly shared: number
      /** The number of these requests that could not be made, by class. */
      readonly failed?: Readonly<Partial<Record<FailureClass, number>>>
      readonly newMedia: number
    }
  | { readonly type: 'input-finished' }
  /** Items whose answer was already in the store. */
  | { readonly type: 'from-store'; readonly requests: number }
  /** Attempts that were started. Each ends as answered, retried, failed or unsent. */
  | { readonly type: 'requests-sent'; readonly requests: number }
  /** Started attempts that did not reach the server. They wait until the server answers again, and count as not sent. */
  | { readonly type: 'requests-unsent'; readonly requests: number }
  | {
      readonly type: 'answered'
      readonly requests: number
      /** The task that these requests belong to, if all belong to one. */
      readonly task?: string
    }
  /** A hedge is a second copy of a request in flight. It was sent, or it ended and was answered first or not. */
  | { readonly type: 'hedge-sent' }
  | { readonly type: 'hedge-ended'; readonly isFirst: boolean }
  | {
      readonly type: 'request-retried'
      readonly class: FailureClass
      readonly waitMs: number
      /**
       * True if the request was rate limited. It counts towards `max_retries` only if others were
       * answered meanwhile.
       */
      readonly isThrottled?: boolean
    }
  | {
      readonly type: 'request-failed'
      readonly class: FailureClass
      readonly message: string
      readonly task?: string
    }
  | {
      readonly type: 'docs-scored'
      /** The number of judged docs, including those in `reused`, whose score was already in the store. */
      readonly docs: number
      readonly reused: number
      readonly unparsed: number
      readonly empty: number
      /** The docs without a score, because their judge or their code failed. */
      readonly failed: number
      /** The reason why the first of them has no score, if it was scored now. */
      readonly firstReason?: string
      /** The number of these docs by task. */
      readonly tasks?: readonly { readonly task: string; readonly docs: number }[]
      /** The new values of the first metric that is aggregated as a mean, by task. */
      readonly running?: readonly RunningScore[]
    }
  /** The batches that are at a provider now: their requests, and how many of these the provider has finished. */
  | {
      readonly type: 'batches'
      readonly batches: number
      readonly requests: number
      readonly done: number
      /** The time at which the oldest batch was created, in monotonic milliseconds. It may lie before the start of this process. */
      readonly since: number
    }
  /** The current rate of requests to the model. It is reported once a second while requests are sent. */
  | {
      readonly type: 'pace'
      /** The maximum number of requests in flight. */
      readonly concurrency: number
      readonly inFlight: number
      /** The time for which the oldest request is in flight, in milliseconds. */
      readonly oldestMs?: number
      /** The time for which nothing is sent because the server asked to wait, in milliseconds. */
      readonly waitingMs: number
      /** Attempts that were rate limited since the previous event. */
      readonly throttled: number
      /** The reason why nothing is sent now. Absent while requests are sent. */
      readonly standstill?: {
        /**
         * `outage`: the server cannot be reached. `limit`: the server asks to wait. `retry`: all remaining requests
         * wait for a retry. `others`: other processes work on all remaining requests.
         */
        readonly why: 'outage' | 'limit' | 'retry' | 'others'
        /** The last message of the server, or of the connection. */
        readonly message: string
        /** The time for which nothing was sent so far, in milliseconds. */
        readonly forMs: number
        /** The time until something is sent again, in milliseconds. */
        readonly untilMs: number
        /** The other processes. */
        readonly holders?: readonly Holder[]
      }
    }
  /** The progress of the run, including the work of other processes. It is reported while other processes work on the run. */
  | { readonly type: 'run-counts'; readonly counts: RunCounts }
  /** A long wait for something outside the program. It is reported every few seconds until it ends. */
  | { readonly type: 'wait'; readonly what: string; readonly forMs: number; readonly limitMs?: number }
  | { readonly type: 'wait-ended'; readonly what: string }
  /** A sentence for the user. `isUrgent`: also shown if notes are not, such as that the work stands still, or that prompts are wrong. */
  | { readonly type: 'note'; readonly text: string; readonly isUrgent?: true }

/** Receives the events of stages. */
export type Emit = (event: StageEvent) => void

/** Reports a long wait, as {@link StageEvent} `wait` and `wait-ended`. */
export const tellWait =
  (emit: Emit, what: string, limitMs?: number) =>
  (forMs: number | undefined): void =>
    emit(
      forMs === undefined
        ? { type: 'wait-ended', what }
        : { type: 'wait', what, forMs, ...(limitMs === undefined ? {} : { limitMs }) },
    )
