import type { FailureClass } from '../../../../cache/records.js'

/** The number of attempts and the waits between them. Times are milliseconds. */
interface BackOff {
  /** The maximum number of attempts, including the first. */
  readonly maxAttempts: number
  /** The maximum wait after the first attempt. It doubles with each further one. */
  readonly baseMs: number
  readonly capMs: number
}

/** The backoff by failure class. A class without one is never retried. */
export interface RetryPolicy {
  readonly classes: { readonly [name in FailureClass]?: BackOff }
  /** If a server asks for a longer wait than this, the work stops, and continues at the next start. */
  readonly patienceMs: number
}

/** The properties of a failure that decide about the next attempt. */
interface AttemptFailure {
  readonly class: FailureClass
  readonly isRetryable: boolean
  /** The wait that the server asks for, in milliseconds. */
  readonly retryAfter?: number | undefined
}

interface AttemptCounts {
  /** The number of attempts that count against the request, including this one. */
  readonly attempt: number
  /** The number of rate limits, including this one. */
  readonly throttled?: number
  /** A number in [0, 1). */
  readonly random: number
}

/** The maximum wait for any server. */
export const longestWaitMs = 15 * 60_000

/**
 * Makes the retry policy. Rate limits mostly count by the minute, so they get longer waits than server errors.
 *
 * @param baseMs the maximum wait after the first attempt, for all classes
 */
export function retryPolicy(maxAttempts = 6, baseMs?: number): RetryPolicy {
  const backOff = (defaultMs: number): BackOff => ({ maxAttempts, baseMs: baseMs ?? defaultMs, capMs: 60_000 })
  return {
    classes: { rate_limited: backOff(2_000), timeout: backOff(500), server: backOff(500) },
    patienceMs: longestWaitMs,
  }
}

/**
 * Decides whether a request is retried after a failed attempt, and in how many milliseconds.
 *
 * A rate limit is not the fault of the rate-limited request. The first rate limit therefore costs no wait and does not count, since the rate holds
 * everything back then. A request that is rate limited again has its own wait.
 *
 * The wait is an exponential backoff with full jitter, for which `random` in [0, 1) is drawn. Requests that failed together are therefore not
 * repeated together. A wait that the server asks for is never shortened: the jitter is added to it.
 *
 * Source: Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function nextTry(
  policy: RetryPolicy,
  failure: AttemptFailure,
  { attempt, throttled = 0, random }: AttemptCounts,
): { readonly waitMs: number } | 'give up' {
  const backOff = policy.classes[failure.class]
  if (!failure.isRetryable || backOff === undefined) return 'give up'
  if (attempt >= backOff.maxAttempts || backOff.maxAttempts === 1) return 'give up'
  const { retryAfter = 0 } = failure
  if (retryAfter > policy.patienceMs) return 'give up'
  const doublings = failure.class === 'rate_limited' ? throttled - 2 : attempt - 1
  if (doublings < 0) return { waitMs: retryAfter }
  const backOffMs = random * Math.min(backOff.capMs, backOff.baseMs * 2 ** doublings)
  return {
    waitMs: failure.retryAfter === undefined ? backOffMs : retryAfter + Math.min(backOffMs, random * backOff.baseMs),
  }
}
