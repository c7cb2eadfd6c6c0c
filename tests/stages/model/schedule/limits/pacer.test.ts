import { expect, test } from 'vitest'
import { Pacer } from '../../../../../stages/model/schedule/limits/pacer.js'

/** When the next request may be sent after one, if ten thousand tokens are granted for the next ten seconds. */
function nextAfter(tokens: readonly number[], takenSince = 0): number {
  const pacer = new Pacer(0)
  for (const each of tokens) pacer.answered(0, 0, each)
  pacer.learn(0, { tokens: { limit: 60_000, remaining: 10_000, resetMs: 10_000 } }, takenSince)
  pacer.sent(0)
  return pacer.opensAt(0)
}

test('until answers tell how many tokens a request takes, five hundred are assumed', () => {
  expect(nextAfter([])).toBeCloseTo((500 * 10_000) / (10_000 - 500))
})

test("a tenth of an answer's deviation changes the expected tokens of the next request", () => {
  expect(nextAfter([1_500])).toBeCloseTo((600 * 10_000) / (10_000 - 600))
  expect(nextAfter([1_500, 100])).toBeCloseTo((550 * 10_000) / (10_000 - 550))
})

test('requests sent since the server counted take their tokens, too', () => {
  expect(nextAfter([1_500], 3)).toBeCloseTo((600 * 10_000) / (10_000 - 3 * 600 - 600))
})
