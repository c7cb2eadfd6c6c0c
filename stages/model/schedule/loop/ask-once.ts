import { messageOf, PipelineError } from '../../../../base/errors.js'
import { mistakePlace } from '../../../../cache/code/thrown-place.js'
import type { Permit } from '../../budget/gate.js'
import { AttemptError, LeftForLater, type Model, type ModelAnswer } from '../../define-backend.js'
import type { InferOptions } from '../../infer.js'
import { AttemptRequests } from './attempt-requests.js'
import { checkAnswer } from './check-answer.js'
import { recordAttempt, type AttemptRecord } from './attempt-record.js'
import { failedOnce, isRefusal, type PendingRequest } from './pending-request.js'
import { nextTry } from './retry.js'
import type { Send } from '../limits/sends.js'
import type { LimiterClient } from '../limits/limiter-client.js'
import type { SendResult } from '../limits/adaptive-limiter.js'

/** One copy of a request on its way: its place in the traffic, and its right to be sent. */
export interface Copy {
  readonly send: Send
  /** Told how it ended. */
  readonly ticket: Permit | undefined
  /** Sent while another one is under way: what it fails with is nothing to the request. */
  readonly isHedge?: boolean
}

export interface AskOptions extends Pick<InferOptions, 'clock' | 'random' | 'retry' | 'gate' | 'drain'> {
  readonly model: Model
  readonly share: LimiterClient
  /** Aborted: break off. */
  readonly signal: AbortSignal
}

/** What came of a request that was sent once. Traffic and budget know it. */
export type AttemptEnd =
  | { readonly type: 'answered'; readonly answer: ModelAnswer; readonly record: AttemptRecord }
  | {
      readonly type: 'failed'
      readonly failure: AttemptError
      /** As it stands after the failure. */
      readonly request: PendingRequest
      readonly next: ReturnType<typeof nextTry>
    }
  /** Broken off: as if it had not been asked. */
  | { readonly type: 'broken-off'; readonly thrown?: unknown }

/** Makes an attempt that was begun, and tells traffic and budget what came of each request in it. Never rejects. */
export async function askOnce(request: PendingRequest, copy: Copy, options: AskOptions): Promise<AttemptEnd> {
  const { model, clock, share, signal } = options
  const requests = new AttemptRequests(copy, options)
  const record = recordAttempt(clock, progress => {
    if (progress.type === 'limits') requests.learn(progress.limits)
    else if (progress.type === 'connected') share.reached()
  })
  try {
    const { input, generation, sample } = request.lease
    const answer = await model.answer({ input, generation, sample }, signal, record.watch, requests)
    checkAnswer(answer.body, input)
    // Of a conversation nothing is under way any more, unless all of it was known and nothing sent.
    if (input.conversation === undefined) requests.answered(answer.usage)
    else requests.breakOff()
    return { type: 'answered', answer, record }
  } catch (error) {
    return endWith(error, request, { ...options, requests, isHedge: copy.isHedge === true })
  }
}

function endWith(
  error: unknown,
  request: PendingRequest,
  options: AskOptions & { readonly requests: AttemptRequests; readonly isHedge: boolean },
): AttemptEnd {
  const { retry, random, clock, share, requests, isHedge } = options
  const isLeft = options.signal.aborted || error instanceof LeftForLater
  if (isLeft || error instanceof PipelineError) {
    requests.breakOff()
    return { type: 'broken-off', ...(isLeft ? {} : { thrown: error }) }
  }
  const failure = asAttemptError(error)
  const { class: name, message, access, isUnreachable, usage } = failure
  const { admittedAt } = share.limiter
  const failed = failedOnce(request, failure, { now: clock.now(), admittedAt })
  // A pause of such a length would hold up whoever asks the same server next.
  const awayMs =
    failure.retryAfter !== undefined && failure.retryAfter > retry.patienceMs ? failure.retryAfter : undefined
  const result = resultOf(failure, failed)
  requests.ended(awayMs !== undefined && result.type === 'refused' ? { ...result, retryAfter: undefined } : result)
  const { strikes: attempt, throttled } = failed
  const next = isUnreachable
    ? atOnce
    : share.limiter.isClosed && (name === 'rate_limited' || isRefusal(failure))
      ? 'give up'
      : nextTry(retry, failure, { attempt, throttled, random: random() })
  const isForGood = next === 'give up' && !isHedge
  requests.tell({ type: 'failed', class: name, message, isForGood, access, isUnreachable, awayMs, usage })
  return { type: 'failed', failure, request: failed, next }
}

function asAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error
  const place = mistakePlace(error)
  // Another try would meet the same line.
  if (place !== undefined)
    return new AttemptError('invalid_request', `the code of a plugin or task failed at ${place}: ${messageOf(error)}`, {
      isRetryable: false,
      cause: error,
    })
  return new AttemptError('server', messageOf(error), { isRetryable: true, cause: error })
}

/** All requests wait for the end of an outage, and none for itself. */
const atOnce = { waitMs: 0 } as const

/** A refusal of one that was passed by again and again says nothing of the others. */
function resultOf(failure: AttemptError, { strikes }: PendingRequest): SendResult {
  const { class: name, retryAfter, message } = failure
  if (failure.isUnreachable) return { type: 'unreachable', message }
  if (isRefusal(failure)) return { type: 'refused', retryAfter, message, isOdd: strikes > 1 }
  return { type: name === 'server' || name === 'timeout' ? name : 'other' }
}
