import { expect, test } from 'vitest'
import { Allowance } from '../../../../../stages/model/schedule/limits/allowance.js'

test("spreads what is left of a minute's limit over the rest of the minute", () => {
  const allowance = new Allowance()
  allowance.learn(0, { limit: 60, remaining: 50, resetMs: 50_000 }, 0)
  allowance.learn(49_000, { limit: 60, remaining: 5, resetMs: 1_000 }, 0)
  allowance.take(49_000, 1)
  expect(allowance.opensAt(49_000)).toBeGreaterThanOrEqual(49_200)
})

test('ignores limits per second, because whole seconds do not say when they end', () => {
  const allowance = new Allowance()
  for (let now = 0; now < 5_000; now += 100) {
    allowance.learn(now, { limit: 10, remaining: 9 - ((now / 100) % 10), resetMs: 1_000 }, 0)
    allowance.take(now, 1)
    expect(allowance.opensAt(now)).toBe(now)
  }
})

test('a daily limit delays nothing for hours, because the server says when it is used up', () => {
  const allowance = new Allowance()
  allowance.learn(0, { limit: 200, remaining: 0, resetMs: 8 * 3_600_000 }, 0)
  expect(allowance.opensAt(0)).toBe(0)
})
