import type { Clock } from '../../base/clock.js'
import type { Wake } from '../../base/wake.js'
import type { Emit } from '../../cache/events.js'
import type { ResponseMeta, Run } from '../../cache/records.js'
import type { AskingStore } from '../../cache/store.js'
import type { Gate } from './budget/gate.js'
import { BatchLoop } from './batch/batch-loop.js'
import type { BatchOptions } from './batch/batch-work.js'
import { freeUnsent } from './batch/free-unsent.js'
import type { Model } from './define-backend.js'
import { InferLoop } from './schedule/loop/infer-loop.js'
import type { DispatchOrder } from './schedule/loop/dispatch-order.js'
import type { HedgeAfter } from './schedule/loop/hedge-rule.js'
import type { RetryPolicy } from './schedule/loop/retry.js'
import type { AdaptiveLimiter, LimiterState } from './schedule/limits/adaptive-limiter.js'

export interface InferOptions {
  readonly store: AskingStore
  readonly run: Run
  /** Called once, when there is something to ask; what it opens is closed at the end. */
  readonly openModel: () => Promise<Model>
  /** All that goes to this model from here: how many at once, and how fast. Shared with others who ask it. */
  readonly openLimiter: () => Promise<AdaptiveLimiter>
  /** Keeps for the next process what this one learnt of the server. */
  readonly keepLimiter?: (state: LimiterState) => Promise<void>
  /** In which requests that wait are sent. @default 'media' */
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
  /** Of the program and the run, kept with each response. */
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

/**
 * Asks the model what is pending in a run, until nothing is, and makes each answer durable.
 *
 * A slot is held until its answer is durable, so that after a kill at most as many requests are asked again as
 * were under way at once. What is with the provider in a batch is not asked one by one.
 *
 * @throws whatever the store or `openModel` throws; what is under way is broken off then.
 */
export async function inferRun(options: InferOptions): Promise<InferOutcome> {
  const { batch } = options
  if (batch?.submits === true) return new BatchLoop(options, batch).run()
  if (batch !== undefined) await freeUnsent(batch.store, options.run)
  const asked = await new InferLoop(options).run()
  if (batch === undefined || asked.ended !== 'finished') return asked
  const collected = await new BatchLoop(options, batch).run()
  return {
    ended: collected.ended,
    answered: asked.answered + collected.answered,
    failed: asked.failed + collected.failed,
  }
}
