import { expect, test } from 'vitest'
import {
  parseDuration,
  exhaustedFor,
  readRateLimits,
  computeResetMs,
} from '../../../../../../stages/model/backends/http/protocol/rate-limits.js'

const date = 'Wed, 21 Oct 2015 07:28:00 GMT'
const now = Date.parse(date)

test.each([
  ['6m0s', 360_000],
  ['1s', 1_000],
  ['120ms', 120],
  ['8.64s', 8_640],
  ['1h2m3.5s', 3_723_500],
  ['2d', 172_800_000],
  ['', undefined],
  ['6 minutes', undefined],
  ['6m0', undefined],
])('parses the duration %j as %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

test.each([
  ['0', 0],
  ['0.5', 500],
  ['59', 59_000],
  ['6m0s', 360_000],
  [String(now / 1000 + 7), 7_000],
  [String(now + 7_250), 7_250],
  [String(now - 1_000), 0],
  ['2015-10-21T07:28:30Z', 30_000],
  ['2015-10-21T09:28:30+02:00', 30_000],
  ['2015-10-21T07:27:00Z', 0],
  ['soon', undefined],
  ['', undefined],
])('waits for a limit that resets at %j for %s ms', (text, ms) => {
  expect(computeResetMs(text, date)).toBe(ms)
})

test("ignores a point in time without the server's clock", () => {
  expect(computeResetMs('2015-10-21T07:28:30Z', '')).toBeUndefined()
  expect(computeResetMs(String(now), '')).toBeUndefined()
})

test.each([
  [
    'OpenAI',
    {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-reset-tokens': '6m0s',
    },
    {
      requests: { limit: 60, remaining: 59, resetMs: 1_000 },
      tokens: { limit: 150_000, remaining: 149_984, resetMs: 360_000 },
    },
  ],
  [
    'Anthropic',
    {
      date,
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2015-10-21T07:28:12Z',
      'anthropic-ratelimit-tokens-limit': '40000',
      'anthropic-ratelimit-tokens-remaining': '39000',
      'anthropic-ratelimit-tokens-reset': '2015-10-21T07:28:03Z',
    },
    {
      requests: { limit: 50, remaining: 0, resetMs: 12_000 },
      tokens: { limit: 40_000, remaining: 39_000, resetMs: 3_000 },
    },
  ],
  [
    'Anthropic with input tokens alone',
    { 'anthropic-ratelimit-input-tokens-limit': '40000', 'anthropic-ratelimit-input-tokens-remaining': '1' },
    { tokens: { limit: 40_000, remaining: 1 } },
  ],
  [
    'OpenRouter',
    { date, 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 60_000) },
    { requests: { limit: 20, remaining: 0, resetMs: 60_000 } },
  ],
  [
    'Together',
    {
      'x-ratelimit-limit': '10',
      'x-ratelimit-reset': '1',
      'x-tokenlimit-limit': '3000',
      'x-tokenlimit-remaining': '7',
    },
    { requests: { limit: 10, resetMs: 1_000 }, tokens: { limit: 3_000, remaining: 7 } },
  ],
  [
    'the draft of the IETF',
    { 'ratelimit-limit': '100;w=60', 'ratelimit-remaining': '50', 'ratelimit-reset': '5' },
    { requests: { limit: 100, remaining: 50, resetMs: 5_000 } },
  ],
  ['a header that came twice', { 'x-ratelimit-remaining': ['3', '4'] }, { requests: { remaining: 3 } }],
  ['a limit that is no number', { 'x-ratelimit-limit': 'many', 'x-ratelimit-reset': '5' }, undefined],
  ['headers of other things', { date, 'content-type': 'application/json' }, undefined],
])('reads the rate limits of %s', (_, headers, limits) => {
  expect(readRateLimits(headers)).toEqual(limits)
})

test.each([
  [{ requests: { remaining: 0, resetMs: 5 }, tokens: { remaining: 0, resetMs: 9 } }, 9],
  [{ requests: { remaining: 0, resetMs: 5 }, tokens: { remaining: 1, resetMs: 9 } }, 5],
  [{ requests: { remaining: 0 } }, undefined],
  [{ requests: { remaining: 1, resetMs: 5 } }, undefined],
  [{}, undefined],
])('with %j left, the limit is exhausted for %s ms', (limits, ms) => {
  expect(exhaustedFor(limits)).toBe(ms)
})
