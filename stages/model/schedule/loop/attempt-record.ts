import { roundToTenths } from '../../../../base/values/rounding.js'
import type { Clock } from '../../../../base/time/clock.js'
import type { Timing } from '../../../../cache/records.js'
import type { AttemptWatch } from '../../model.js'
import type { PendingRequest } from './pending-request.js'

/** Records times and sizes of one attempt, with the scheduler's clock. */
export interface AttemptRecord {
  readonly startedAt: number
  readonly watch: AttemptWatch
  /** Returns the measurements of this attempt alone. */
  readonly seen: () => Timing
}

/** Starts the record of an attempt. @param also a further listener */
export function recordAttempt(clock: Clock, also?: AttemptWatch): AttemptRecord {
  const startedAt = clock.now()
  let connectMs: number | undefined
  let firstTokenMs: number | undefined
  let sentBytes: number | undefined
  let receivedBytes: number | undefined
  let isConnected = false
  return {
    startedAt,
    watch(progress) {
      if (progress.type === 'connected') {
        if (!isConnected && !progress.isReused) connectMs = clock.now() - startedAt
        isConnected = true
      } else if (progress.type === 'first-token') firstTokenMs ??= clock.now() - startedAt
      else if (progress.type === 'sent') sentBytes = (sentBytes ?? 0) + progress.bytes
      else if (progress.type === 'received') receivedBytes = (receivedBytes ?? 0) + progress.bytes
      also?.(progress)
    },
    seen: () => ({
      connectMs: connectMs === undefined ? undefined : roundToTenths(connectMs),
      firstTokenMs: firstTokenMs === undefined ? undefined : roundToTenths(firstTokenMs),
      sentBytes,
      receivedBytes,
    }),
  }
}

/** Computes the timing of an answered request: the measurements of its last attempt, and the waits before it. */
export function computeTiming(
  request: PendingRequest,
  { startedAt, seen }: AttemptRecord,
  earlierMs: number | undefined = 0,
): Timing {
  const first = request.firstStartedAt ?? startedAt
  const { connectMs, firstTokenMs, sentBytes, receivedBytes } = seen()
  return {
    queueMs: roundToTenths(first - request.leasedAt),
    connectMs,
    firstTokenMs,
    sentBytes,
    receivedBytes,
    retryWaitMs: request.attempts > 1 || startedAt > first ? roundToTenths(startedAt - first) : undefined,
    throttled: request.throttled > 0 ? request.throttled : undefined,
    earlierMs: earlierMs > 0 ? roundToTenths(earlierMs) : undefined,
  }
}
