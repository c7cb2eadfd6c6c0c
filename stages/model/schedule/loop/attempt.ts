import { roundToTenths } from '../../../../base/values/rounding.js'
import type { ResponseMeta } from '../../../../cache/records.js'
import type { AttemptError, ModelAnswer } from '../../model.js'
import type { InferOptions } from '../../infer-options.js'
import { askOnce, type AskOptions, type AttemptEnd, type Copy } from './ask-once.js'
import { computeTiming, type AttemptRecord } from './attempt-record.js'
import type { AskCopy, HedgeRace } from './hedging.js'
import { startAttempt, type PendingRequest } from './pending-request.js'

/** The result of an attempt. Answers and final failures are durable. */
export type AttemptOutcome =
  | { readonly type: 'answered' }
  | { readonly type: 'failed'; readonly failure: AttemptError }
  /** The request is to be retried after the wait. */
  | {
      readonly type: 'again'
      readonly failure: AttemptError
      readonly request: PendingRequest
      readonly waitMs: number
      /** True if the request was rate limited, which uses up no attempt. */
      readonly isThrottled: boolean
    }
  /** The server was unreachable. The request is unchanged, and waits until the outage ends. */
  | { readonly type: 'unsent'; readonly request: PendingRequest }
  /** Cancelled. It counts as not sent. */
  | { readonly type: 'broken-off'; readonly thrown?: unknown }

export interface AttemptOptions extends AskOptions, Pick<InferOptions, 'store' | 'stamp' | 'emit'> {
  readonly copy: Copy
  /** Called when the answer is committed. The wait for the disk needs no slot. */
  readonly freeSlot?: () => void
  /** Starts a race, if a hedge may be sent. */
  readonly openRace?: ((ask: AskCopy) => HedgeRace) | undefined
}

/** Makes one attempt and commits its result. @throws whatever the store throws */
export async function makeAttempt(waiting: PendingRequest, options: AttemptOptions): Promise<AttemptOutcome> {
  const { store, clock, emit, copy } = options
  const startedAt = clock.now()
  const request = startAttempt(waiting, startedAt)
  emit({ type: 'requests-sent', requests: 1 })
  const ask = (sentCopy: Copy, signal: AbortSignal): Promise<AttemptEnd> =>
    askOnce(request, sentCopy, { ...options, signal })
  const race = options.openRace?.(ask)
  race?.begin(copy)
  const { end, hedges, isHedgeFirst } =
    race === undefined ? { end: await ask(copy, options.signal), hedges: 0, isHedgeFirst: false } : await race.ended
  if (end.type === 'broken-off') return end
  if (end.type === 'answered') {
    const asked = { ...request, hedges: request.hedges + hedges }
    const meta = makeResponseMeta(end, asked, { options, isHedgeFirst })
    // There is no await here, so that this function's frame does not keep the answer in memory while the store commits.
    return store.requests
      .commitResponse(request.lease, end.answer.body, meta, options.freeSlot)
      .then(() => ({ type: 'answered' as const }))
  }
  if (end.failure.isUnreachable) return { type: 'unsent', request: waiting }
  const isThrottled = end.request.strikes === waiting.strikes && end.request.throttled > waiting.throttled
  return afterFailure({ ...end, isThrottled, request: { ...end.request, hedges: request.hedges + hedges } }, options)
}

function makeResponseMeta(
  { answer, record }: { readonly answer: ModelAnswer; readonly record: AttemptRecord },
  request: PendingRequest,
  { options, isHedgeFirst }: { readonly options: AttemptOptions; readonly isHedgeFirst: boolean },
): ResponseMeta {
  const { clock, stamp } = options
  return {
    usage: answer.usage,
    served: answer.served,
    timing: computeTiming(request, record, answer.earlierMs),
    durationMs: roundToTenths(clock.now() - record.startedAt + (answer.earlierMs ?? 0)),
    attempts: request.attempts,
    hedges: request.hedges === 0 ? undefined : request.hedges,
    isHedgeFirst: isHedgeFirst || undefined,
    answeredAt: clock.wallNow(),
    ...stamp,
  }
}

async function afterFailure(
  { failure, request, next, isThrottled }: Extract<AttemptEnd, { type: 'failed' }> & { readonly isThrottled: boolean },
  { store }: Pick<AttemptOptions, 'store'>,
): Promise<AttemptOutcome> {
  if (next !== 'give up') return { type: 'again', failure, request, waitMs: next.waitMs, isThrottled }
  const { class: name, message, isAccess } = failure
  await store.requests.commitFailure(request.lease, {
    class: name,
    message,
    // Hedges count as attempts, too.
    attempts: request.attempts + request.hedges,
    // After the user has corrected the key or name, the same request may be answered.
    ...(isAccess ? { opensAgain: true } : {}),
  })
  return { type: 'failed', failure }
}
