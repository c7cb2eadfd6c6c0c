import type { Clock } from '../../../base/clock.js'
import type { Timing } from '../../../cache/records.js'
import type { AttemptWatch } from '../define-backend.js'
import type { PendingRequest } from './pending-request.js'

/** What is seen of one attempt, with the scheduler's own times. */
export interface AttemptRecord {
  readonly startedAt: number
  readonly watch: AttemptWatch
  /** Of the attempt alone. */
  readonly seen: () => Timing
}

/** Begins the record of an attempt. @param also listens, too */
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
      ...(connectMs === undefined ? {} : { connectMs: tenths(connectMs) }),
      ...(firstTokenMs === undefined ? {} : { firstTokenMs: tenths(firstTokenMs) }),
      ...(sentBytes === undefined ? {} : { sentBytes }),
      ...(receivedBytes === undefined ? {} : { receivedBytes }),
    }),
  }
}

/** Where the time of an answered request went: what was seen of its last attempt, and its waits before that. */
export function timingOf(request: PendingRequest, { startedAt, seen }: AttemptRecord): Timing {
  const first = request.firstStartedAt ?? startedAt
  return {
    queueMs: tenths(first - request.leasedAt),
    ...seen(),
    ...(request.attempts > 1 || startedAt > first ? { retryWaitMs: tenths(startedAt - first) } : {}),
    ...(request.throttled > 0 ? { throttled: request.throttled } : {}),
  }
}

/** Milliseconds as they are kept. */
export const tenths = (ms: number): number => Math.round(ms * 10) / 10
