import { expect, test } from 'vitest'
import { Pacer } from '../../../../../stages/model/schedule/limits/pacer.js'

/** Returns when the next request may be sent after one, with ten thousand tokens for the next ten seconds. */
function nextAfter(tokens: readonly number[], takenSince = 0): number {
  const pacer = new Pacer(0)
  for (const each of tokens) pacer.answered(0, 0, each)
  pacer.learn(0, { tokens: { limit: 60_000, remaining: 10_000, resetMs: 10_000 } }, takenSince)
  pacer.sent(0)
  return pacer.opensAt(0)
}

test('assumes five hundred tokens per request until answers tell', () => {
  expect(nextAfter([])).toBeCloseTo((500 * 10_000) / (10_000 - 500))
})

test('an answer changes the expected tokens of the next request by a tenth of its deviation', () => {
  expect(nextAfter([1_500])).toBeCloseTo((600 * 10_000) / (10_000 - 600))
  expect(nextAfter([1_500, 100])).toBeCloseTo((550 * 10_000) / (10_000 - 550))
})

test('subtracts tokens of requests sent since the server counted', () => {
  expect(nextAfter([1_500], 3)).toBeCloseTo((600 * 10_000) / (10_000 - 3 * 600 - 600))
})
