import type { Clock } from '../../base/time/clock.js'
import type { Wake } from '../../base/time/wake.js'
import type { BatchStore } from '../../cache/batches.js'
import type { Emit } from '../../cache/events.js'
import type { ResponseMeta, Run } from '../../cache/records.js'
import type { AskingStore, LeaseQuery } from '../../cache/store.js'
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
  /** Called once, when there is a request to send. The model is closed at the end. */
  readonly openModel: () => Promise<Model>
  /** Opens the limiter for this model, which controls the number and rate of requests. Others may share it. */
  readonly openLimiter: () => Promise<AdaptiveLimiter>
  /** Stores what the limiter learned about the server, for the next process. */
  readonly keepLimiter?: (state: LimiterState) => Promise<void>
  /** The order in which pending requests are dispatched. @default 'media' */
  readonly order?: DispatchOrder
  readonly retry: RetryPolicy
  /** The rule for a second copy of a slow request. Absent for never. Batch requests get none. */
  readonly hedge?: HedgeAfter
  /** Admits each attempt. Without a gate, nothing is held back. */
  readonly gate?: Gate
  /** True to retry requests with a permanent failure, too. */
  readonly retryFailed: boolean
  /** Failures of this process up to this number are retried, unless they are permanent. @default those before this call */
  readonly failuresAfter?: number
  /** Selects the docs whose requests are sent. See LeaseQuery. @default all docs */
  readonly isMeant?: LeaseQuery['isMeant']
  /** Tells whether all items of the run are in the store. */
  readonly upstreamFinished: () => Promise<boolean>
  /** Notified when items were committed, or when no more will come. */
  readonly wake: Wake
  /** Notified when a request was answered or has failed. */
  readonly answered: Wake
  /** When aborted, requests in flight finish, and no new ones start. */
  readonly drain: AbortSignal
  /** When aborted, requests in flight are cancelled. */
  readonly stop: AbortSignal
  readonly emit: Emit
  /** The provider's batch API, if it has one. Batches are collected whoever submitted them. */
  readonly batch?: BatchOptions
  readonly clock: Clock
  /** Returns a number in [0, 1). */
  readonly random: () => number
  /** The program and the run, stored with each response. */
  readonly stamp: Pick<ResponseMeta, 'commit' | 'dirty' | 'run'>
}

export interface InferOutcome {
  /** `finished`: no request is left that this process could send. */
  readonly ended: 'finished' | 'drained' | 'stopped'
  /** The number of requests that this call answered. */
  readonly answered: number
  /** The number of requests that failed in this call. */
  readonly failed: number
}

/** Options for submitting requests in batches and collecting the answers. */
export interface BatchOptions {
  readonly store: BatchStore
  readonly open: () => Promise<BatchClient>
  /** The maximum size of one batch: the provider's limits, or less. */
  readonly most: { readonly requests: number; readonly bytes: number }
  /** True if pending requests are submitted. Otherwise batches at the provider are only collected. */
  readonly submits: boolean
  /** True to wait for the provider. Otherwise the call ends as soon as everything is submitted. */
  readonly waits: boolean
  /** The maximum wait between two checks of a batch, in milliseconds. */
  readonly pollMs: number
}
