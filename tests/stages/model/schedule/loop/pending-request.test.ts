import { expect, test } from 'vitest'
import type { Lease } from '../../../../../cache/store.js'
import { AttemptError } from '../../../../../stages/model/model.js'
import {
  startAttempt,
  failedOnce,
  isRateLimit,
  pendingRequest,
} from '../../../../../stages/model/schedule/loop/pending-request.js'

const request = pendingRequest({} as Lease, 5)
const failure = (
  name: 'server' | 'rate_limited',
  options: { retryAfter?: number; isRetryable?: boolean; hasProgressed?: boolean } = {},
) => new AttemptError(name, 'failed', { isRetryable: true, ...options })

test('a retryable rate limit, or a server error with a retry time, counts as a rate limit', () => {
  expect(isRateLimit(failure('rate_limited'))).toBe(true)
  expect(isRateLimit(failure('rate_limited', { isRetryable: false }))).toBe(false)
  expect(isRateLimit(failure('server', { retryAfter: 0 }))).toBe(true)
  expect(isRateLimit(failure('server'))).toBe(false)
})

test('a further attempt keeps the start time of the first one', () => {
  expect(startAttempt(startAttempt(request, 10), 20)).toMatchObject({ attempts: 2, firstStartedAt: 10 })
})

test('a server error counts as a strike, and a first rate limit does not', () => {
  const times = { now: 100, admittedAt: 50 }
  expect(failedOnce(request, failure('server'), times)).toMatchObject({ strikes: 1, throttled: 0 })
  expect(failedOnce(request, failure('rate_limited'), times)).toMatchObject({
    strikes: 0,
    throttled: 1,
    throttledAt: 100,
  })
})

test.each([
  ['after its last rate limit', 101, 1],
  ['at the moment of its last rate limit', 100, 0],
  ['before its last rate limit', 99, 0],
  ['never', undefined, 0],
])(
  'if another request was last admitted %s (%s), a further rate limit counts as %d strikes',
  (_when, admittedAt, strikes) => {
    const limited = failedOnce(request, failure('rate_limited'), { now: 100, admittedAt: undefined })
    expect(failedOnce(limited, failure('rate_limited'), { now: 200, admittedAt })).toMatchObject({
      strikes,
      throttled: 2,
      throttledAt: 200,
    })
  },
)

test('a failure after another round was answered is the first strike of the next round', () => {
  const tried = { ...request, strikes: 3 }
  const times = { now: 100, admittedAt: undefined }
  expect(failedOnce(tried, failure('server', { hasProgressed: true }), times).strikes).toBe(1)
  expect(failedOnce(tried, failure('server'), times).strikes).toBe(4)
})
