import { messageOf, PipelineError } from '../../../base/errors.js'
import type { ResponseMeta } from '../../../cache/records.js'
import type { Ending, Ticket } from '../budget/gate.js'
import { AttemptError, type AttemptWatch, type Model, type ModelAnswer } from '../define-backend.js'
import type { InferOptions } from '../infer.js'
import { recordAttempt, tenths, timingOf, type AttemptRecord } from './attempt-record.js'
import { begun, type PendingRequest } from './pending-request.js'
import { nextTry } from './retry.js'

/** What became of one attempt. What is answered or given up is durable. */
export type AttemptOutcome =
  | { readonly type: 'answered'; readonly startedAt: number }
  | { readonly type: 'failed'; readonly startedAt: number; readonly failure: AttemptError }
  /** To be tried again, not before the wait is over. */
  | {
      readonly type: 'again'
      readonly startedAt: number
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
  readonly watch?: AttemptWatch
}

/** Asks once and makes what comes of it durable. @throws whatever the store throws. */
export async function makeAttempt(waiting: PendingRequest, options: AttemptOptions): Promise<AttemptOutcome> {
  const { model, store, clock, emit } = options
  const record = recordAttempt(clock, options.watch)
  const request = begun(waiting, record.startedAt)
  const { lease } = request
  emit({ type: 'requests-sent', requests: 1 })
  let answer
  try {
    const { input, generation, sample } = lease
    answer = await model.answer({ input, generation, sample }, options.signal, record.watch)
  } catch (error) {
    return handleFailure(request, record, { error, options })
  }
  options.ticket?.({ type: 'answered', usage: answer.usage })
  await store.commitResponse(lease, answer.body, metaOf(answer, request, { record, options }))
  return { type: 'answered', startedAt: record.startedAt }
}

function metaOf(
  answer: ModelAnswer,
  request: PendingRequest,
  { record, options }: { readonly record: AttemptRecord; readonly options: AttemptOptions },
): ResponseMeta {
  const { clock, stamp } = options
  return {
    ...(answer.usage === undefined ? {} : { usage: answer.usage }),
    timing: timingOf(request, record),
    durationMs: tenths(clock.now() - record.startedAt + (answer.earlierMs ?? 0)),
    attempts: request.attempts,
    answeredAt: clock.wallNow(),
    ...stamp,
  }
}

async function handleFailure(
  request: PendingRequest,
  { startedAt }: AttemptRecord,
  { error, options }: { readonly error: unknown; readonly options: AttemptOptions },
): Promise<AttemptOutcome> {
  const { retry, random, store } = options
  const end = (ending: Ending): void => options.ticket?.(ending)
  if (options.signal.aborted || error instanceof PipelineError) {
    end({ type: 'broken-off' })
    return { type: 'broken-off', ...(options.signal.aborted ? {} : { thrown: error }) }
  }
  const failure = asAttemptError(error)
  // Of several rounds one more was answered: what failed now had not been tried before.
  const attempts = failure.hasProgressed ? 1 : request.attempts
  const next = nextTry(retry, failure, { attempt: attempts, random: random() })
  const { class: name, message, isAccess } = failure
  end({ type: 'failed', class: name, message, isForGood: next === 'give up', isAccess })
  if (next !== 'give up') {
    const throttled = request.throttled + (name === 'rate_limited' ? 1 : 0)
    return { type: 'again', startedAt, failure, request: { ...request, attempts, throttled }, waitMs: next.waitMs }
  }
  await store.commitFailure(request.lease, {
    class: name,
    message,
    attempts: request.attempts,
    // With another key, or the right name, the same request may well be answered.
    ...(isAccess ? { opensAgain: true } : {}),
  })
  return { type: 'failed', startedAt, failure }
}

function asAttemptError(error: unknown): AttemptError {
  if (error instanceof AttemptError) return error
  return new AttemptError('server', messageOf(error), { isRetryable: true, cause: error })
}
