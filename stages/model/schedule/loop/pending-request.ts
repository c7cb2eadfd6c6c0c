import type { Lease } from '../../../../cache/store.js'
import type { AttemptError } from '../../model.js'

/** A leased request with its history. Times are milliseconds of the scheduler's clock. */
export interface PendingRequest {
  readonly lease: Lease
  /** The time when it could first be sent. */
  readonly leasedAt: number
  /** The number of attempts that were started. */
  readonly attempts: number
  /** The attempts that count against it. A rate limit counts only if others were answered meanwhile. */
  readonly strikes: number
  /** The number of attempts that were rate limited. */
  readonly throttled: number
  /** The number of hedges: copies that were sent while an attempt was in flight. */
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

/** Returns the request with one more attempt started. */
export const startAttempt = (request: PendingRequest, now: number): PendingRequest => ({
  ...request,
  attempts: request.attempts + 1,
  firstStartedAt: request.firstStartedAt ?? now,
})

/** Tells whether a failure is a rate limit: by its status, or by stating a wait with any status. */
export const isRateLimit = ({ class: name, isRetryable, retryAfter }: AttemptError): boolean =>
  name === 'rate_limited' ? isRetryable : name === 'server' && retryAfter !== undefined

/**
 * Returns the request after a failed attempt.
 *
 * @param admittedAt when another request to the same model last ended without being rate limited
 */
export function failedOnce(
  request: PendingRequest,
  failure: AttemptError,
  { now, admittedAt }: { readonly now: number; readonly admittedAt: number | undefined },
): PendingRequest {
  // A further round was answered, so the failed round was tried for the first time.
  if (failure.hasProgressed) return { ...request, strikes: 1 }
  if (failure.class !== 'rate_limited' && !isRateLimit(failure)) return { ...request, strikes: request.strikes + 1 }
  const isPassedBy = request.throttledAt !== undefined && (admittedAt ?? -Infinity) > request.throttledAt
  return {
    ...request,
    strikes: request.strikes + (isPassedBy ? 1 : 0),
    throttled: request.throttled + 1,
    throttledAt: now,
  }
}
