import { expect, test } from 'vitest'
import { HedgeRule } from '../../../../../stages/model/schedule/loop/hedge-rule.js'

const after = (rule: HedgeRule, ...latencies: readonly number[]): HedgeRule => {
  for (const ms of latencies) rule.answered(ms)
  return rule
}
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('a fixed delay applies from the first request on', () => {
  expect(new HedgeRule({ ms: 30_000 }).afterMs).toBe(30_000)
})

test('the delay is 1.1 times a quantile, after at least twenty answers', () => {
  const rule = after(new HedgeRule({ quantile: 0.95 }), ...upTo(19))
  expect(rule.afterMs).toBeUndefined()
  expect(after(rule, 20).afterMs).toBeCloseTo(1.1 * 19.05)
})

test('the quantile uses the latest thousand answers', () => {
  const rule = after(new HedgeRule({ quantile: 0.5 }), ...Array<number>(1_000).fill(100))
  expect(rule.afterMs).toBeCloseTo(110)
  expect(after(rule, ...Array<number>(1_000).fill(900)).afterMs).toBeCloseTo(990)
})

test('allows eight plus a tenth of the requests as useless copies; copies that win do not count', () => {
  const rule = new HedgeRule({ ms: 1 })
  const hedgeAll = (): number => {
    let count = 0
    for (; rule.mayHedge; count += 1) rule.hedged()
    return count
  }
  expect(hedgeAll()).toBe(8)
  for (let request = 0; request < 50; request += 1) rule.sent()
  expect(hedgeAll()).toBe(5)
  for (let hedge = 0; hedge < 3; hedge += 1) rule.won()
  expect(hedgeAll()).toBe(3)
})

test('computes the quantile again after 5 % more answers', () => {
  const rule = after(new HedgeRule({ quantile: 1 }), ...Array<number>(40).fill(100))
  expect(rule.afterMs).toBeCloseTo(110)
  expect(after(rule, 900).afterMs).toBeCloseTo(110)
  expect(after(rule, 900).afterMs).toBeCloseTo(990)
})
