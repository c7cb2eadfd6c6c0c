import type { Clock } from '../../base/time/clock.js'
import type { Wake } from '../../base/time/wake.js'
import type { BatchStore } from '../../cache/batches.js'
import type { Emit } from '../../cache/events.js'
import type { ResponseMeta, Run } from '../../cache/records.js'
import type { AskingStore } from '../../cache/store.js'
import type { BatchClient } from './batch/batch-client.js'
import type { Gate } from './budget/gate.js'
import type { Model } from './model.js'
import type { AdaptiveLimiter } from './schedule/limits/adaptive-limiter.js'
import type { LimiterState } from './schedule/limits/limiter-client.js'
import type { DispatchOrder } from './schedule/loop/dispatch-order.js'
import type { HedgeAfter } from './schedule/loop/hedge-rule.js'
import type { RetryPolicy } from './schedule/loop/retry.js'

export interface InferOptions {
  readonly store: AskingStore
  readonly run: Run
  /** Called once, when there is something to ask; what it opens is closed at the end. */
  readonly openModel: () => Promise<Model>
  /** All that goes to this model from here: how many at once, and how fast. Shared with others who ask it. */
  readonly openLimiter: () => Promise<AdaptiveLimiter>
  /** Keeps for the next process what this one learnt of the server. */
  readonly keepLimiter?: (state: LimiterState) => Promise<void>
  /** The order in which pending requests are dispatched. @default 'media' */
  readonly order?: DispatchOrder
  readonly retry: RetryPolicy
  /** When a request that takes long gets a second copy; absent for never. What is handed in as a batch gets none. */
  readonly hedge?: HedgeAfter
  /** Asked before each attempt; none holds nothing back. */
  readonly gate?: Gate
  /** Also asks what failed in a permanent class before. */
  readonly retryFailed: boolean
  /** Whether all items of the run are in the store. */
  readonly upstreamFinished: () => Promise<boolean>
  /** Told when items were committed, or when there will be no more. */
  readonly wake: Wake
  /** Notified when a request was answered or given up. */
  readonly answered: Wake
  /** Aborted: finish what is under way, start nothing. */
  readonly drain: AbortSignal
  /** Aborted: break off what is under way. */
  readonly stop: AbortSignal
  readonly emit: Emit
  /** The provider's batch API, where it has one: what is in batches there is collected, whoever handed it in. */
  readonly batch?: BatchOptions
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  /** The program and the run, kept with each response. */
  readonly stamp: Pick<ResponseMeta, 'commit' | 'dirty' | 'run'>
}

export interface InferOutcome {
  /** `finished`: nothing is left that this process could ask. */
  readonly ended: 'finished' | 'drained' | 'stopped'
  /** Requests answered by this call. */
  readonly answered: number
  /** Requests given up by this call. */
  readonly failed: number
}

/** How requests are handed in together, and what was handed in is collected. */
export interface BatchOptions {
  readonly store: BatchStore
  readonly open: () => Promise<BatchClient>
  /** The maximum of one batch: the provider's limits, or less. */
  readonly most: { readonly requests: number; readonly bytes: number }
  /** Whether what is pending is handed in; else what is at the provider is collected and no more. */
  readonly submits: boolean
  /** Whether to wait for the provider; else to end as soon as all is handed in. */
  readonly waits: boolean
  /** The longest wait between two looks at a batch. Milliseconds. */
  readonly pollMs: number
}
