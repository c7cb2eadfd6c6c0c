import type { FailureClass } from './records.js'
import type { Holder, RunCounts } from './store/work.js'

/** Values of docs of one task. */
export interface RunningScore {
  readonly task: string
  readonly metric: string
  readonly sum: number
  readonly n: number
}

/**
 * What a stage reports while it works. Stages never print: `src/` decides what a person sees. Numbers count what came
 * since the event of that type before.
 */
export type StageEvent =
  | { readonly type: 'task-opened'; readonly task: string; readonly docs?: number }
  | {
      readonly type: 'docs-read'
      readonly task: string
      readonly docs: number
      /** Requests made of the docs, with those that could not be made; as many as docs where it is not said. */
      readonly requests?: number
      /** Those that could not be made, by class. */
      readonly failed?: Readonly<Partial<Record<FailureClass, number>>>
      readonly newMedia: number
    }
  | { readonly type: 'input-finished' }
  /** Items that have their answer without being asked. */
  | { readonly type: 'from-store'; readonly requests: number }
  /** Attempts that were begun; each ends as answered, retried, failed or unsent. */
  | { readonly type: 'requests-sent'; readonly requests: number }
  /** Attempts that were begun and reached nobody: as if they had not been sent. They wait until somebody answers again. */
  | { readonly type: 'requests-unsent'; readonly requests: number }
  | { readonly type: 'answered'; readonly requests: number }
  /** A second copy of a request that is under way was sent; or it has ended, and was answered first or not. */
  | { readonly type: 'hedge-sent' }
  | { readonly type: 'hedge-ended'; readonly isFirst: boolean }
  | {
      readonly type: 'request-retried'
      readonly class: FailureClass
      readonly waitMs: number
      /** Refused for a limit: it is sent again, and that is no retry towards `max_retries` unless others were answered meanwhile. */
      readonly isThrottled?: boolean
    }
  | { readonly type: 'request-failed'; readonly class: FailureClass; readonly message: string }
  | {
      readonly type: 'docs-scored'
      /** With those whose score was in the store already, which are `reused`. */
      readonly docs: number
      readonly reused: number
      readonly unparsed: number
      readonly empty: number
      readonly failed: number
      /** Values that were given to docs now, by task: of its first metric whose score is their mean. */
      readonly running?: readonly RunningScore[]
    }
  /** Batches that are with a provider as of now: the requests in them, and how many of these are through there. */
  | {
      readonly type: 'batches'
      readonly batches: number
      readonly requests: number
      readonly done: number
      /** When the first of them was begun. Monotonic milliseconds; before this process began, where that was. */
      readonly since: number
    }
  /** How fast requests go to the model now; once a second while they do. */
  | {
      readonly type: 'pace'
      /** Requests that may be under way at once. */
      readonly concurrency: number
      readonly inFlight: number
      /** Milliseconds for which the request that was sent first is in flight. */
      readonly oldestMs?: number
      /** Milliseconds for which nothing is sent, because the server asked for that. */
      readonly waitingMs: number
      /** Attempts refused for a limit since the event before. */
      readonly throttled: number
      /** Why nothing is sent now, where that is so. */
      readonly standstill?: {
        /**
         * `outage`: nobody answers at the address. `limit`: the server asks to wait. `retry`: all that is left waits to be retried.
         * `others`: all that is left is worked on by other processes.
         */
        readonly why: 'outage' | 'limit' | 'retry' | 'others'
        /** The last message of the server, or about the connection. */
        readonly message: string
        /** Milliseconds since it began. */
        readonly forMs: number
        /** Milliseconds until something is sent again, where that is known. */
        readonly untilMs: number
        /** The other processes. */
        readonly holders?: readonly Holder[]
      }
    }
  /** How far the run is, whoever worked on it: told now and then where other processes do, too. */
  | { readonly type: 'run-counts'; readonly counts: RunCounts }
  | { readonly type: 'note'; readonly text: string }

export type Emit = (event: StageEvent) => void
