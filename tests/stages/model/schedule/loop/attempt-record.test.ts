import { expect, test } from 'vitest'
import type { Lease } from '../../../../../cache/store.js'
import type { AttemptProgress } from '../../../../../stages/model/model.js'
import {
  recordAttempt,
  computeTiming,
  type AttemptRecord,
} from '../../../../../stages/model/schedule/loop/attempt-record.js'
import { startAttempt, pendingRequest } from '../../../../../stages/model/schedule/loop/pending-request.js'
import { virtualClock } from '../../../../support/virtual-clock.js'

/** Records these events, each ten milliseconds after the one before. */
async function recorded(...events: readonly AttemptProgress[]): Promise<AttemptRecord> {
  const clock = virtualClock()
  await clock.advance(1_000)
  const record = recordAttempt(clock)
  for (const event of events) {
    await clock.advance(10)
    record.watch(event)
  }
  return record
}

const connected = (isReused: boolean) => ({ type: 'connected', isReused }) as const

test('records the connection time of the first request, and none for a reused connection', async () => {
  const seen = async (...events: readonly AttemptProgress[]) => (await recorded(...events)).seen().connectMs
  expect(await seen(connected(false), connected(false))).toBe(10)
  expect(await seen(connected(true))).toBeUndefined()
  expect(await seen(connected(true), connected(false))).toBeUndefined()
})

test('records the first token, and adds up bytes', async () => {
  const record = await recorded(
    { type: 'sent', bytes: 5 },
    { type: 'first-token' },
    { type: 'first-token' },
    { type: 'sent', bytes: 7 },
    { type: 'received', bytes: 3 },
  )
  expect(record.seen()).toEqual({ connectMs: undefined, firstTokenMs: 20, sentBytes: 12, receivedBytes: 3 })
})

test('records the waits of the request before the attempt', async () => {
  const record = await recorded()
  const request = pendingRequest({} as Lease, 100)
  const first = startAttempt(request, 1_000)
  expect(computeTiming(first, record)).toEqual({ queueMs: 900 })
  expect(computeTiming(startAttempt(startAttempt(request, 400), 1_000), record)).toEqual({
    queueMs: 300,
    retryWaitMs: 600,
  })
  // It counts as a retry even if it was rejected and retried at the same moment.
  expect(computeTiming(startAttempt(first, 1_000), record)).toEqual({ queueMs: 900, retryWaitMs: 0 })
  expect(computeTiming({ ...first, throttled: 2 }, record)).toEqual({ queueMs: 900, throttled: 2 })
  expect(computeTiming(first, record, 45.67)).toEqual({ queueMs: 900, earlierMs: 45.7 })
})
