import { messageOf, PipelineError } from '../../../base/errors.js'
import type { ResponseMeta } from '../../../cache/records.js'
import type { Ending, Ticket } from '../budget/gate.js'
import { AttemptError, LeftForLater, type Model, type ModelAnswer } from '../define-backend.js'
import type { InferOptions } from '../infer.js'
import { recordAttempt, tenths, timingOf, type AttemptRecord } from './attempt-record.js'
import { begun, failedOnce, type PendingRequest } from './pending-request.js'
import { nextTry } from './retry.js'
import type { Send } from './sends.js'
import type { Share } from './share.js'
import type { SendResult } from './traffic.js'

/** What became of one attempt. What is answered or given up is durable. */
export type AttemptOutcome =
  | { readonly type: 'answered' }
  | { readonly type: 'failed'; readonly failure: AttemptError }
  /** To be tried again, not before the wait is over. */
  | {
      readonly type: 'again'
      readonly failure: AttemptError
      readonly request: PendingRequest
      readonly waitMs: number
    }
  /** Broken off: as if it had not been asked. */
  | { readonly type: 'broken-off'; readonly thrown?: unknown }

export interface AttemptOptions extends Pick<InferOptions, 'store' | 'clock' | 'random' | 'retry' | 'stamp' | 'emit'> {
  readonly model: Model
  /** Aborted: break off. */
  readonly signal: AbortSignal
  /** Told how it ended. */
  readonly ticket: Ticket | undefined
  /** Its place in the traffic to the model. */
  readonly send: Send
  readonly share: Share
}

/** Asks once and makes what comes of it durable. @throws whatever the store throws. */
export async function makeAttempt(waiting: PendingRequest, options: AttemptOptions): Promise<AttemptOutcome> {
  const { model, store, clock, emit } = options
  const { share, send } = options
  const record = recordAttempt(clock, progress => {
    if (progress.type === 'limits') share.learn(send, progress.limits)
  })
  const request = begun(waiting, record.startedAt)
  const { lease } = request
  emit({ type: 'requests-sent', requests: 1 })
  let answer
  try {
    const { input, generation, sample } = lease
    answer = await model.answer({ input, generation, sample }, options.signal, record.watch)
  } catch (error) {
    return handleFailure(request, error, options)
  }
  options.ticket?.({ type: 'answered', usage: answer.usage })
  share.end(send, { type: 'answered', tokens: tokensOf(answer.usage) })
  await store.commitResponse(lease, answer.body, metaOf(answer, request, { record, options }))
  return { type: 'answered' }
}

function metaOf(
  answer: ModelAnswer,
  request: PendingRequest,
  { record, options }: { readonly record: AttemptRecord; readonly options: AttemptOptions },
): ResponseMeta {
  const { clock, stamp } = options
  return {
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
    timing: { ...timingOf(request, record), ...(answer.earlierMs ? { earlierMs: tenths(answer.earlierMs) } : {}) },
    durationMs: tenths(clock.now() - record.startedAt + (answer.earlierMs ?? 0)),
    attempts: request.attempts,
    answeredAt: clock.wallNow(),
    ...stamp,
  }
}

async function handleFailure(
  request: PendingRequest,
  error: unknown,
  options: AttemptOptions,
): Promise<AttemptOutcome> {
  const { retry, random, store, clock, share, send } = options
  const end = (ending: Ending): void => options.ticket?.(ending)
  const isLeft = options.signal.aborted || error instanceof LeftForLater
  if (isLeft || error instanceof PipelineError) {
    end({ type: 'broken-off' })
    share.end(send, { type: 'other' })
    return { type: 'broken-off', ...(isLeft ? {} : { thrown: error }) }
  }
  const failure = asAttemptError(error)
  const { class: name, message, isAccess } = failure
  const { answeredAt } = share.traffic
  const failed = failedOnce(request, failure, { now: clock.now(), answeredAt })
  share.end(send, resultOf(failure, failed))
  const { strikes: attempt, throttled } = failed
  const next =
    share.traffic.isClosed && name === 'rate_limited'
      ? 'give up'
      : nextTry(retry, failure, { attempt, throttled, random: random() })
  end({ type: 'failed', class: name, message, isForGood: next === 'give up', isAccess })
  if (next !== 'give up') return { type: 'again', failure, request: failed, waitMs: next.waitMs }
  await store.commitFailure(request.lease, {
    class: name,
    message,
    attempts: request.attempts,
    // With another key, or the right name, the same request may well be answered.
    ...(isAccess ? { opensAgain: true } : {}),
  })
  return { type: 'failed', failure }
}

function asAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error
  return new AttemptError('server', messageOf(error), { isRetryable: true, cause: error })
}

/** A refusal of one that was passed by again and again says nothing of the others. */
function resultOf(failure: AttemptError, { strikes }: PendingRequest): SendResult {
  const { class: name, retryAfter } = failure
  // Whoever says when to come back says that too many came, under whatever status.
  if (name === 'rate_limited' ? failure.isRetryable : name === 'server' && retryAfter !== undefined)
    return { type: 'refused', retryAfter, isOdd: strikes > 1 }
  return { type: name === 'server' || name === 'timeout' ? name : 'other' }
}

const tokensOf = (usage: ModelAnswer['usage']): number | undefined =>
  usage === undefined ? undefined : (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
