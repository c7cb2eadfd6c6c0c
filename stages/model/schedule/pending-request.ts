import type { Lease } from '../../../cache/store.js'

/** A leased request and what has become of it so far. Times are milliseconds of the scheduler's clock. */
export interface PendingRequest {
  readonly lease: Lease
  /** Since when it could have been sent. */
  readonly leasedAt: number
  /** Begun so far. */
  readonly attempts: number
  /** Those that count against it: a refusal for a limit is not its fault, and one that got somewhere begins anew. */
  readonly strikes: number
  /** Attempts that were refused for a limit. */
  readonly throttled: number
  readonly firstStartedAt?: number
  readonly firstThrottledAt?: number
}

export const pendingRequest = (lease: Lease, leasedAt: number): PendingRequest => ({
  lease,
  leasedAt,
  attempts: 0,
  strikes: 0,
  throttled: 0,
})

/** The request with one more attempt begun. */
export const begun = (request: PendingRequest, now: number): PendingRequest => ({
  ...request,
  attempts: request.attempts + 1,
  firstStartedAt: request.firstStartedAt ?? now,
})
