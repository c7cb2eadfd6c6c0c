import type { Lease } from '../../../../cache/store.js'
import type { AttemptError } from '../../model.js'

/** A leased request and what has become of it so far. Times are milliseconds of the scheduler's clock. */
export interface PendingRequest {
  readonly lease: Lease
  /** Since when it could have been sent. */
  readonly leasedAt: number
  /** Begun so far. */
  readonly attempts: number
  /** Those that count against it: a refusal for a limit does only if others were answered meanwhile. */
  readonly strikes: number
  /** Attempts that were refused for a limit. */
  readonly throttled: number
  /** Copies that were sent while an attempt was under way. */
  readonly hedges: number
  readonly firstStartedAt?: number
  readonly throttledAt?: number
}

export const pendingRequest = (lease: Lease, leasedAt: number): PendingRequest => ({
  lease,
  leasedAt,
  attempts: 0,
  strikes: 0,
  throttled: 0,
  hedges: 0,
})

/** The request with one more attempt begun. */
export const begun = (request: PendingRequest, now: number): PendingRequest => ({
  ...request,
  attempts: request.attempts + 1,
  firstStartedAt: request.firstStartedAt ?? now,
})

/** Whether a server says that too many requests came, under whatever status it says when to come back. */
export const isRefusal = ({ class: name, isRetryable, retryAfter }: AttemptError): boolean =>
  name === 'rate_limited' ? isRetryable : name === 'server' && retryAfter !== undefined

/**
 * The request after an attempt that failed.
 *
 * @param admittedAt when another request to the same model came back last that was not refused for a limit
 */
export function failedOnce(
  request: PendingRequest,
  failure: AttemptError,
  { now, admittedAt }: { readonly now: number; readonly admittedAt: number | undefined },
): PendingRequest {
  // One more round was answered: the one that failed now had not been tried before.
  if (failure.hasProgressed) return { ...request, strikes: 1 }
  if (failure.class !== 'rate_limited' && !isRefusal(failure)) return { ...request, strikes: request.strikes + 1 }
  const isPassedBy = request.throttledAt !== undefined && (admittedAt ?? -Infinity) > request.throttledAt
  return {
    ...request,
    strikes: request.strikes + (isPassedBy ? 1 : 0),
    throttled: request.throttled + 1,
    throttledAt: now,
  }
}
