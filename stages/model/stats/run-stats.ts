import type { Distribution } from './distribution.js'
import type { Pause, Timeline } from './timeline.js'

/** What a run measured of the model that it asked. Milliseconds, tokens, bytes; plain JSON. */
export interface RunStats {
  /** Answers by where they came from. */
  readonly answers: {
    /** This run asked. */
    readonly asked: number
    /** Another run had asked before, or asked meanwhile: no part of any figure below. */
    readonly fromStore: number
    /** How many of `asked` were submitted as a batch. Their tokens count, their times do not. */
    readonly batch: number
  }
  readonly attempts: {
    /** Requests sent, the failed ones included. */
    readonly sent: number
    /** Those that were sent because one before had failed. */
    readonly retries: number
    /** Those that the server refused for a limit. */
    readonly throttled: number
  }
  /** Second copies of requests that took long; absent where none was sent. Part of no other figure but `attempts.sent`. */
  readonly hedges?: {
    readonly sent: number
    /** Answered before the first copy. */
    readonly won: number
    /** What may have been billed for those copies that were broken off: as much as for their answers. */
    readonly tokens: TokenSums
  }
  readonly tokens: TokenSums
  readonly batchTokens: TokenSums
  /** Dollars, where a price was given, and the answers of this run that they are of: those whose tokens were counted. */
  readonly cost?: { readonly usd: number; readonly priced: number }
  readonly bytes: { readonly sent: number; readonly received: number }
  /** When the first request could have been sent and when the last was answered; absent where none was timed. */
  readonly from?: number
  readonly to?: number
  /** Time in which at least one request was waiting or under way. */
  readonly busyMs: number
  /** A second of busy time. */
  readonly rates: { readonly requests: number; readonly inputTokens: number; readonly outputTokens: number }
  /** Requests under way at once. */
  readonly concurrency: { readonly mean: number; readonly peak: number }
  /** Distributions over single requests, by name; a name that no request has is absent. */
  readonly spread: { readonly [name in SpreadName]?: Distribution }
  readonly timeline: Timeline
  /** Stretches of a second or more without work, the longest ones, in the order of time. */
  readonly pauses: readonly Pause[]
  /** The same of each task, where the run has several. A request that several ask is of the first. */
  readonly tasks?: readonly TaskStats[]
}

/** What was measured of the requests of one task, but for how it went over time. */
export interface TaskStats extends Omit<RunStats, 'timeline' | 'pauses' | 'tasks'> {
  readonly task: string
}

export interface TokenSums {
  readonly input: number
  readonly output: number
  /** Tokens of the output. */
  readonly reasoning: number
  /** Tokens of the input. */
  readonly cached: number
  /** Answers that came with a count of tokens. */
  readonly counted: number
}

export const spreadNames = ['latency', 'endToEnd', 'firstToken', 'perOutputToken', 'queue', 'connect'] as const
export type SpreadName = (typeof spreadNames)[number]
