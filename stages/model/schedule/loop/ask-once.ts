import { makeModelRequest } from '../../model-request.js'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { findMistakePosition } from '../../../../cache/code/thrown-position.js'
import type { Input, ResponseBody, Usage } from '../../../../cache/records.js'
import type { Ending, Permit } from '../../budget/gate.js'
import type { InferOptions } from '../../infer-options.js'
import {
  AttemptError,
  type FurtherRequests,
  LeftForLater,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type RateLimits,
} from '../../model.js'
import type { LimiterClient } from '../limits/limiter-client.js'
import type { Send, SendResult } from '../limits/sends.js'
import { type AttemptRecord, recordAttempt } from './attempt-record.js'
import { failedOnce, isRateLimit, type PendingRequest } from './pending-request.js'
import { pause } from '../../../../base/time/pause.js'
import { nextTry } from './retry.js'

/** One copy of a request in flight, with its entry in the limiter and its permit. */
export interface Copy {
  readonly send: Send
  /** Called with its end. */
  readonly permit: Permit | undefined
  /** True for a copy beside another one in flight. Its failure does not count for the request. */
  readonly isHedge?: boolean
}

export interface AskOptions extends Pick<InferOptions, 'run' | 'clock' | 'random' | 'retry' | 'gate' | 'drain'> {
  readonly model: Model
  readonly client: LimiterClient
  /** When aborted, the request is cancelled. */
  readonly signal: AbortSignal
}

/** The result of one attempt. Limiter and budget already know it. */
export type AttemptEnd =
  | { readonly type: 'answered'; readonly answer: ModelAnswer; readonly record: AttemptRecord }
  | {
      readonly type: 'failed'
      readonly failure: AttemptError
      /** The request after the failure. */
      readonly request: PendingRequest
      readonly next: ReturnType<typeof nextTry>
    }
  /** Cancelled. It counts as not sent. */
  | { readonly type: 'broken-off'; readonly thrown?: unknown }

/** Makes one attempt, and reports the result of each request in it to limiter and budget. Never rejects. */
export async function askOnce(request: PendingRequest, copy: Copy, options: AskOptions): Promise<AttemptEnd> {
  const { model, clock, client, signal } = options
  const requests = new AttemptRequests(copy, options)
  const record = recordAttempt(clock, progress => {
    if (progress.type === 'limits') requests.learn(progress.limits)
    else if (progress.type === 'connected') client.limiter.reached()
  })
  try {
    const { input } = request.lease
    const answer = await model.answer(makeModelRequest(request.lease), signal, record.watch, requests)
    checkAnswer((answer as ModelAnswer | undefined)?.body, input, options.run.asked.model.backend)
    // In a conversation, each request was reported when it ended, unless all rounds were stored and none was sent.
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
  const { retry, random, clock, client, requests, isHedge } = options
  const isLeft = options.signal.aborted || error instanceof LeftForLater
  if (isLeft || error instanceof PipelineError) {
    requests.breakOff()
    return { type: 'broken-off', ...(isLeft ? {} : { thrown: error }) }
  }
  const failure = asAttemptError(error)
  const { class: name, message, access, isUnreachable, usage } = failure
  const { admittedAt } = client.limiter
  const failed = failedOnce(request, failure, { now: clock.now(), admittedAt })
  // A pause of this length would delay all other requests to the same server.
  const awayMs =
    failure.retryAfter !== undefined && failure.retryAfter > retry.patienceMs ? failure.retryAfter : undefined
  const result = classifyFailure(failure, failed)
  requests.ended(awayMs !== undefined && result.type === 'rate_limited' ? { ...result, retryAfter: undefined } : result)
  const { strikes: attempt, throttled } = failed
  const next = isUnreachable
    ? atOnce
    : client.limiter.isClosed && isRateLimit(failure)
      ? 'give up'
      : nextTry(retry, failure, { attempt, throttled, random: random() })
  const isForGood = next === 'give up' && !isHedge
  requests.tell({ type: 'failed', class: name, message, isForGood, access, isUnreachable, awayMs, usage })
  return { type: 'failed', failure, request: failed, next }
}

function asAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error
  const location = findMistakePosition(error)
  // A retry would run into the same mistake in the plugin's code.
  if (location !== undefined)
    return new AttemptError(
      'invalid_request',
      `the code of a plugin or task failed at ${location}: ${messageOf(error)}`,
      {
        isRetryable: false,
        cause: error,
      },
    )
  return new AttemptError('server', messageOf(error), { isRetryable: true, cause: error })
}

/** All requests wait for the end of an outage together, so a single request has no further wait. */
const atOnce = { waitMs: 0 } as const

/** Describes the result. Repeated rate limits of one request are no evidence about the others. */
function classifyFailure(failure: AttemptError, { strikes }: PendingRequest): SendResult {
  const { class: name, retryAfter, message } = failure
  if (failure.isUnreachable) return { type: 'unreachable', message }
  if (isRateLimit(failure)) return { type: 'rate_limited', retryAfter, message, isOdd: strikes > 1 }
  return { type: name === 'server' || name === 'timeout' ? name : 'other' }
}

/** The interval at which a request checks whether the budget has room for it, in milliseconds. */
const pollMs = 50

/**
 * The requests of one attempt, mostly a single one. An answer of several rounds sends one after another in the attempt's slot. Each waits for rate
 * and budget. Nothing is reserved between two rounds, so that waiting attempts do not block each other.
 */
class AttemptRequests implements FurtherRequests {
  readonly #options: AskOptions
  #current: Copy
  #isUnderWay = true
  #isTold = false

  /** @param first a request that was admitted already */
  constructor(first: Copy, options: AskOptions) {
    this.#current = first
    this.#options = options
  }

  learn(limits: RateLimits): void {
    this.#options.client.limiter.learn(this.#current.send, limits)
  }

  answered(usage: Usage | undefined): void {
    const tokens = usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    this.tell({ type: 'answered', usage })
    this.ended({ type: 'answered', tokens })
  }

  /** Cancels the last request if it is in flight. It then counts as not sent. */
  breakOff(): void {
    this.tell({ type: 'broken-off' })
    this.ended({ type: 'broken-off' })
  }

  /** Tells the limiter once how the last request ended. */
  ended(result: SendResult): void {
    if (this.#isUnderWay) this.#options.client.limiter.end(this.#current.send, result)
    this.#isUnderWay = false
  }

  /** Tells the budget how the attempt or one of its requests ended. */
  tell(ending: Ending): void {
    const { permit } = this.#current
    if (this.#isTold) {
      // The failure happened between two requests.
      if (ending.type === 'failed') this.#options.gate?.failed?.(ending)
    } else permit?.(ending)
    this.#isTold = true
  }

  async next(request: ModelRequest): Promise<void> {
    const { client, gate, clock, drain, signal } = this.#options
    for (;;) {
      if (drain.aborted || signal.aborted) throw new LeftForLater('interrupted between two rounds')
      const wait = client.limiter.paceMs
      const permit = wait > 0 ? undefined : gate?.admit(request)
      if (wait === 0 && (gate === undefined || permit !== undefined)) {
        this.#current = { send: client.limiter.again(), permit }
        this.#isUnderWay = true
        this.#isTold = false
        return
      }
      await pause(wait > 0 ? Math.ceil(wait) : pollMs, clock, [drain, signal])
    }
  }
}

const finishReasons: readonly ResponseBody['finishReason'][] = [
  'stop',
  'length',
  'content_filter',
  'tool_calls',
  'unknown',
]

/**
 * Rejects an incomplete answer before it is stored, because plugins in JavaScript are not type-checked.
 *
 * @throws PipelineError for a missing or invalid field
 */
function checkAnswer(body: Partial<ResponseBody> | undefined, { type }: Input, backend: string): void {
  const lacks = (what: string): never => {
    throw new PipelineError('config', `the model backend ${backend} answered ${type} without ${what}`)
  }
  if (typeof body?.text !== 'string') return lacks('body.text, a text (empty for log-likelihoods)')
  if (body.finishReason === undefined || !finishReasons.includes(body.finishReason))
    return lacks(`body.finishReason, one of ${finishReasons.join(', ')}`)
  if (type.startsWith('loglikelihood') && typeof body.logprob !== 'number') return lacks('body.logprob, a number')
}
