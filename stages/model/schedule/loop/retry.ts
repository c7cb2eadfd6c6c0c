import type { Clock } from '../../../../base/time/clock.js'
import type { FailureClass } from '../../../../cache/records.js'

/** How often and after what waits a request is tried again. Milliseconds. */
interface BackOff {
  /** The first one counts. */
  readonly maxAttempts: number
  /** The longest wait after the first attempt; it doubles with each further one. */
  readonly baseMs: number
  readonly capMs: number
}

/** A class without a back-off is never tried again. */
export interface RetryPolicy {
  readonly classes: { readonly [name in FailureClass]?: BackOff }
  /** A server that asks for a longer wait than this is not waited for: the work stops, and goes on at the next start. */
  readonly patienceMs: number
}

/** Why an attempt failed, as far as the next one depends on it. */
interface AttemptFailure {
  readonly class: FailureClass
  readonly isRetryable: boolean
  /** Milliseconds that the server asks to wait. */
  readonly retryAfter?: number | undefined
}

interface Tried {
  /** Attempts that count against the request, this one among them. */
  readonly attempt: number
  /** Refusals for a limit, this one among them. */
  readonly throttled?: number
  /** In [0, 1). */
  readonly random: number
}

/** No server is waited for any longer than this. */
export const longestWaitMs = 15 * 60_000

/**
 * A rate limit is mostly counted by the minute, so it is given longer than a server that stumbled.
 *
 * @param baseMs the longest wait after the first attempt, whatever it failed with
 */
export function retryPolicy(maxAttempts = 6, baseMs?: number): RetryPolicy {
  const backOff = (usualMs: number): BackOff => ({ maxAttempts, baseMs: baseMs ?? usualMs, capMs: 60_000 })
  return {
    classes: { rate_limited: backOff(2_000), timeout: backOff(500), server: backOff(500) },
    patienceMs: longestWaitMs,
  }
}

/**
 * Whether a request is tried again after an attempt that failed, and in how many milliseconds.
 *
 * That a server admits only so many is not the fault of who is refused: the first refusal for a limit costs no wait, since
 * the pace holds everything back then, and does not count. A request that is refused again has a wait of its own.
 *
 * Exponential back-off with full jitter, `random` in [0, 1) being its share, so that requests that failed together don't
 * come back together. What the server asks for is never shortened; the jitter comes on top of it.
 *
 * Source: Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
 */
export function nextTry(
  policy: RetryPolicy,
  failure: AttemptFailure,
  { attempt, throttled = 0, random }: Tried,
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

/** Resolves after so many milliseconds, or as soon as one of the signals is aborted. */
export function pause(ms: number, clock: Pick<Clock, 'after'>, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      cancel()
      for (const signal of signals) signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    for (const signal of signals) signal.addEventListener('abort', end)
    if (signals.some(({ aborted }) => aborted)) end()
  })
}
