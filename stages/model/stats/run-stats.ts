import type { Distribution } from './distribution.js'
import type { Pause, Timeline } from './timeline.js'

/** The measurements of a run about its model, in milliseconds, tokens and bytes. They are plain JSON. */
export interface RunStats {
  /** The number of answers by origin. */
  readonly answers: {
    /** Answers to requests that this run sent. */
    readonly asked: number
    /** Answers to requests that another run sent. They are part of no other figure. */
    readonly fromStore: number
    /** The number of requests among `asked` that were submitted in a batch. Their tokens count, their times do not. */
    readonly batch: number
  }
  readonly attempts: {
    /** The number of requests sent, including failed ones. */
    readonly sent: number
    /** The number of retries among them. */
    readonly retries: number
    /** The number of them that the server rejected for a rate limit. */
    readonly throttled: number
  }
  /**
   * Hedges: second copies of slow requests. Absent if none was sent. Of the other figures, only `attempts.sent`
   * includes them.
   */
  readonly hedges?: {
    readonly sent: number
    /** The number that were answered before the first copy. */
    readonly won: number
    /** The tokens that may have been billed for cancelled copies: as many as for their answers. */
    readonly tokens: TokenSums
  }
  readonly tokens: TokenSums
  readonly batchTokens: TokenSums
  /** The cost in dollars, if a price is known, and the number of answers it covers: those whose tokens were counted. */
  readonly cost?: { readonly usd: number; readonly priced: number }
  readonly bytes: { readonly sent: number; readonly received: number }
  /** The time when the first request could have been sent, and when the last was answered. Absent if no time is known. */
  readonly from?: number
  readonly to?: number
  /** The time in which at least one request was waiting or in flight. */
  readonly busyMs: number
  /** Rates per second of busy time. */
  readonly rates: { readonly requests: number; readonly inputTokens: number; readonly outputTokens: number }
  /** The number of requests in flight. */
  readonly concurrency: { readonly mean: number; readonly peak: number }
  /** Distributions over single requests, by name. A name without values is absent. */
  readonly spread: { readonly [name in SpreadName]?: Distribution }
  readonly timeline: Timeline
  /** The longest stretches of at least a second without work, in the order of time. */
  readonly pauses: readonly Pause[]
  /** Model names that the server reported with answers, other than the requested one, most frequent first. */
  readonly served?: readonly { readonly model: string; readonly answers: number }[]
  /** The measurements of each task, if the run has several. A request of several tasks counts for the first. */
  readonly tasks?: readonly TaskStats[]
}

/** The measurements of one task, without those over time. */
export interface TaskStats extends Omit<RunStats, 'timeline' | 'pauses' | 'served' | 'tasks'> {
  readonly task: string
}

export interface TokenSums {
  readonly input: number
  readonly output: number
  /** The reasoning tokens within the output. */
  readonly reasoning: number
  /** The cached tokens within the input. */
  readonly cached: number
  /** The number of answers with token counts. */
  readonly counted: number
}

export const spreadNames = ['latency', 'endToEnd', 'firstToken', 'perOutputToken', 'queue', 'connect'] as const
export type SpreadName = (typeof spreadNames)[number]
