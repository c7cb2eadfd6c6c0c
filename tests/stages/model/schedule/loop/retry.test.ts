import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextTry, retryPolicy } from '../../../../../stages/model/schedule/loop/retry.js'

const policy = retryPolicy()
const server = { class: 'server', isRetryable: true } as const

test('the wait doubles with each attempt, up to the maximum', () => {
  const longest = [1, 2, 3, 4, 5].map(attempt => nextTry(policy, server, { attempt, random: 1 }))
  expect(longest).toEqual([500, 1_000, 2_000, 4_000, 8_000].map(waitMs => ({ waitMs })))
  const many = retryPolicy(20)
  expect(nextTry(many, server, { attempt: 19, random: 1 })).toEqual({ waitMs: 60_000 })
})

test('jitter multiplies the wait by a random factor from 0 to 1', () => {
  expect(nextTry(policy, server, { attempt: 3, random: 0 })).toEqual({ waitMs: 0 })
  expect(nextTry(policy, server, { attempt: 3, random: 0.25 })).toEqual({ waitMs: 500 })
})

test('gives up after six attempts', () => {
  expect(nextTry(policy, server, { attempt: 6, random: 0.5 })).toBe('give up')
})

test('does not retry a failure that is not retryable', () => {
  expect(nextTry(policy, { ...server, isRetryable: false }, { attempt: 1, random: 0.5 })).toBe('give up')
})

test.each(['invalid_request', 'refused', 'media', 'budget'] as const)('never retries %s', name => {
  expect(nextTry(policy, { class: name, isRetryable: true }, { attempt: 1, random: 0.5 })).toBe('give up')
})

test('never shortens the wait that the server asks for', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('rate_limited', 'timeout', 'server'),
      fc.integer({ min: 0, max: policy.patienceMs }),
      fc.integer({ min: 1, max: 5 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (name, retryAfter, attempt, random) => {
        const next = nextTry(policy, { class: name, isRetryable: true, retryAfter }, { attempt, random })
        return next !== 'give up' && next.waitMs >= retryAfter
      },
    ),
  )
})

test('does not wait for hours when a server asks for it', () => {
  expect(nextTry(policy, { ...server, retryAfter: 3_600_000 }, { attempt: 1, random: 0.5 })).toBe('give up')
})

test('waits as long as the patience, and not longer', () => {
  const wait = (retryAfter: number) =>
    nextTry(policy, { class: 'server', isRetryable: true, retryAfter }, { attempt: 1, random: 0 })
  expect(wait(policy.patienceMs)).toEqual({ waitMs: policy.patienceMs })
  expect(wait(policy.patienceMs + 1)).toBe('give up')
})

test('the second rate limit waits at most the base time, and each further one twice as long', () => {
  const waits = [1, 2, 3, 4].map(throttled =>
    nextTry(retryPolicy(6, 100), { class: 'rate_limited', isRetryable: true }, { attempt: 1, throttled, random: 0.5 }),
  )
  expect(waits).toEqual([{ waitMs: 0 }, { waitMs: 50 }, { waitMs: 100 }, { waitMs: 200 }])
})

test('does not repeat a single attempt after a rate limit that does not count', () => {
  const limited = { class: 'rate_limited', isRetryable: true } as const
  const tried = { attempt: 0, throttled: 1, random: 0.5 }
  expect(nextTry(retryPolicy(1), limited, tried)).toBe('give up')
  expect(nextTry(retryPolicy(2), limited, tried)).toEqual({ waitMs: 0 })
})

test("the jitter on top of a server's wait is at most that of the first attempt", () => {
  const failure = { ...server, retryAfter: 1_000 }
  expect(nextTry(policy, failure, { attempt: 1, random: 0.5 })).toEqual({ waitMs: 1_250 })
  expect(nextTry(policy, failure, { attempt: 5, random: 0.5 })).toEqual({ waitMs: 1_250 })
})
