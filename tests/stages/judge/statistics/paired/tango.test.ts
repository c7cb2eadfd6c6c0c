/** Paired differences of 0/1 scores: published intervals, and exact error rates over all tables. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { computeExactRates, enumerateTables } from '../../../../../bench/simulations/paired-tables.js'
import { comparePaired } from '../../../../../stages/judge/statistics/paired/compare-paired.js'
import { mcnemarChiSquared } from '../../../../../stages/judge/statistics/paired/mcnemar.js'
import { scoreInterval, scoreStatistic, testScore } from '../../../../../stages/judge/statistics/paired/tango.js'

/** Docs of which only the second model gets `gained` right, and only the first one `lost`. */
const makePairs = (n: number, gained: number, lost: number) =>
  Array.from({ length: n }, (_, i) => ({
    id: String(i),
    a: Number(i < lost || i >= gained + lost),
    b: Number(i >= lost),
  }))

test.each([
  // Tango (1998), the comparison of two disinfections of contact lenses; Fagerland, Lydersen and Laake, "Statistical Analysis
  // of Contingency Tables" (2017), chapter 8, both examples; the example of R's PropCIs 0.3, `scoreci.mp`.
  { n: 44, gained: 0, lost: 1, interval: [-0.118, 0.059] },
  { n: 21, gained: 1, lost: 7, interval: [-0.517, -0.026] },
  { n: 161, gained: 6, lost: 16, interval: [-0.124, -0.005] },
  { n: 160, gained: 40, lost: 20, interval: [0.031, 0.218] },
])('the interval equals the published one: %j', ({ n, gained, lost, interval }) => {
  const found = scoreInterval({ n, onlyA: lost, onlyB: gained })
  expect(found).toEqual(interval.map(end => expect.closeTo(end, 3) as number))
  expect(comparePaired({ pairs: makePairs(n, gained, lost) }).interval).toEqual(found)
})

const tables = fc
  .tuple(fc.integer({ min: 2, max: 400 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(400))
  .map(([n, share, lost]) => {
    const onlyA = Math.min(lost, n)
    return { n, onlyA, onlyB: Math.floor(share * (n - onlyA)) }
  })

test('the statistic has the variance of the most likely shares with that difference', () => {
  fc.assert(
    fc.property(tables, fc.double({ min: -0.9, max: 0.9, noNaN: true }), ({ n, onlyA, onlyB }, delta) => {
      // A search over the share that only a gets right, in place of the closed form.
      const logLikelihood = (lost: number): number => {
        const term = (count: number, share: number) => (count === 0 ? 0 : count * Math.log(Math.max(share, 1e-300)))
        return term(onlyA, lost) + term(onlyB, lost + delta) + term(n - onlyA - onlyB, 1 - 2 * lost - delta)
      }
      let [low, high] = [Math.max(0, -delta), (1 - delta) / 2]
      for (let step = 0; step < 200; step++) {
        const [left, right] = [low + (high - low) / 3, high - (high - low) / 3]
        if (logLikelihood(left) < logLikelihood(right)) low = left
        else high = right
      }
      const variance = (2 * low + delta - delta * delta) / n
      const difference = (onlyB - onlyA) / n
      const z = scoreStatistic({ n, onlyA, onlyB }, delta)
      if (Math.abs(difference - delta) < 1e-6 || variance < 1e-4 / n) return true
      return Math.abs(z / ((difference - delta) / Math.sqrt(variance)) - 1) < 1e-4
    }),
  )
})

test('the p of no difference is that of McNemar’s χ² without correction', () => {
  fc.assert(
    fc.property(tables, ({ n, onlyA, onlyB }) => {
      const p = mcnemarChiSquared(onlyA, onlyB, { isCorrected: false })?.p ?? 1
      return Math.abs(testScore({ n, onlyA, onlyB }) - p) <= 1e-12
    }),
  )
})

test('verdict, interval, p and equivalence agree in every table', () => {
  fc.assert(
    fc.property(tables, fc.double({ min: 0.001, max: 0.5, noNaN: true }), ({ n, onlyA, onlyB }, margin) => {
      const { interval, p, verdict, equivalence } = comparePaired({ pairs: makePairs(n, onlyB, onlyA), margin })
      const [low, high] = interval!
      expect(high).toBeGreaterThan(low)
      expect(low).toBeGreaterThanOrEqual(-1)
      expect(high).toBeLessThanOrEqual(1)
      expect(p! < 0.05).toBe(low > 0 || high < 0)
      // An interval of 95 % within the margin is more than the two tests at 5 % need.
      if (low > -margin && high < margin) expect(equivalence!.p).toBeLessThan(0.05)
      if (verdict === 'better') expect(low).toBeGreaterThan(0)
      if (verdict === 'worse') expect(high).toBeLessThan(0)
      if (verdict === 'equivalent') expect(equivalence!.p).toBeLessThan(0.05)
      if (verdict === 'undecided') expect(p).toBeGreaterThanOrEqual(0.05)
    }),
  )
})

test('one flip of 100 docs shows no equivalence within 0.03, and equal docs have an interval', () => {
  const one = comparePaired({ pairs: makePairs(100, 0, 1), margin: 0.03 })
  expect(one.verdict).toBe('undecided')
  expect(one.interval![0]).toBeCloseTo(-0.0545, 3)
  const none = comparePaired({ pairs: makePairs(5, 0, 0), margin: 0.01 })
  expect(none).toMatchObject({ verdict: 'same', interval: [expect.closeTo(-0.4345, 3), expect.closeTo(0.4345, 3)] })
  expect(none.equivalence!.p).toBeGreaterThan(0.9)
})

describe('exact rates over all tables', () => {
  const losses = [0.01, 0.03, 0.05, 0.1, 0.2]
  /** Shares of docs that differ beyond those of the loss, half of them each way. */
  const further = [0, 0.02, 0.1, 0.2]

  test.each([5, 10, 20, 40, 100, 200])('of %i docs', n => {
    // Of many docs, only truths with at most 25 differing ones: more than 60 are too rare to count, and few are the harder case.
    const most = n < 100 ? n : 60
    const all = enumerateTables(n, { most })
    const isRare = (lost: number, extra: number): boolean => n < 100 || n * (lost + extra) <= 25
    for (const loss of losses)
      for (const extra of further.filter(share => isRare(loss, share))) {
        const { covered, tooHigh } = computeExactRates(all, { n, gained: extra / 2, lost: extra / 2 + loss })
        expect(covered).toBeGreaterThan(0.925)
        expect(tooHigh).toBeLessThan(0.036)
      }
    for (const extra of further.filter(share => isRare(0, share)))
      expect(computeExactRates(all, { n, gained: extra / 2, lost: extra / 2 }).decided).toBeLessThan(0.055)
    for (const margin of [0.03, 0.1].filter(share => isRare(share, 0))) {
      const tested = enumerateTables(n, { margin, most })
      for (const extra of further.filter(share => isRare(margin, share))) {
        const { equivalent } = computeExactRates(tested, { n, gained: extra / 2, lost: extra / 2 + margin })
        expect(equivalent).toBeLessThan(0.055)
      }
    }
  })
})
