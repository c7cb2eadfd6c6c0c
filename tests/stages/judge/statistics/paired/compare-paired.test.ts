import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { effectiveSize } from '../../../../../stages/judge/statistics/intervals/bounded-interval.js'
import { comparePaired } from '../../../../../stages/judge/statistics/paired/compare-paired.js'
import { docsToDecide } from '../../../../../stages/judge/statistics/paired/compare-paired.js'
import { mcnemar } from '../../../../../stages/judge/statistics/paired/mcnemar.js'
import { estimateMean, meanInterval } from '../../../../../stages/judge/statistics/intervals/mean.js'
import { normalCdf, normalQuantile } from '../../../../../stages/judge/statistics/distributions/normal.js'
import { wilson } from '../../../../../stages/judge/statistics/intervals/proportions.js'

const counts = fc.integer({ min: 1, max: 100_000 }).chain(n => fc.tuple(fc.integer({ min: 0, max: n }), fc.constant(n)))
const bits = fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 1 })), { maxLength: 60 })
const asPairs = (values: readonly (readonly [number, number])[]) => values.map(([a, b], i) => ({ id: `${i}`, a, b }))

test('a Wilson interval lies in [0, 1] and contains the proportion', () => {
  fc.assert(
    fc.property(counts, ([k, n]) => {
      const [low, high] = wilson(k, n)
      return low >= 0 && high <= 1 && low <= k / n && k / n <= high
    }),
  )
})

test('one more success lowers neither end of a Wilson interval', () => {
  fc.assert(
    fc.property(counts, ([k, n]) => {
      if (k === n) return true
      const [low, high] = wilson(k, n)
      const [nextLow, nextHigh] = wilson(k + 1, n)
      return nextLow >= low && nextHigh >= high
    }),
  )
})

test('McNemar is symmetric in its models, and its p is a probability', () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(100_000), (b, c) => {
      const p = mcnemar(b, c)
      return p === mcnemar(c, b) && p >= 0 && p <= 1
    }),
  )
})

test('McNemar equals the binomial tail', () => {
  expect(mcnemar(1, 5)).toBeCloseTo((2 * (1 + 6)) / 64, 14)
  expect(mcnemar(49_000, 51_000)).toBeCloseTo(2.588716038346898e-10, 22)
})

test('normal quantile and cdf are inverse functions', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true }), p => {
      return Math.abs(normalCdf(normalQuantile(p)) - p) <= 1e-14 + 1e-12 * p
    }),
  )
})

test('a mean does not depend on the order of its values', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2 }), values => {
      const forth = estimateMean(values)!
      const back = estimateMean([...values].reverse())!
      return Math.abs(forth.mean - back.mean) <= 1e-15 * Math.max(1, Math.abs(forth.mean))
    }),
  )
})

test('a single value has a mean but no interval', () => {
  expect(meanInterval([3])).toEqual({ n: 1, mean: 3, stderr: null, interval: null })
  expect(meanInterval([])).toBeUndefined()
})

test('a comparison in reverse order has the same p and the opposite verdict', () => {
  const opposite = {
    better: 'worse',
    worse: 'better',
    undecided: 'undecided',
    equivalent: 'equivalent',
    same: 'same',
  } as const
  fc.assert(
    fc.property(bits, values => {
      const there = comparePaired({ pairs: asPairs(values) })
      const back = comparePaired({ pairs: asPairs(values.map(([a, b]) => [b, a])) })
      expect(back.p).toEqual(there.p)
      expect(back.verdict).toBe(opposite[there.verdict])
      expect(back.improved).toEqual(there.worsened)
    }),
  )
})

test('the score test decides a clear difference of 0/1 scores, and the docs are named', () => {
  const pairs = asPairs(Array.from({ length: 40 }, (_, i) => [i < 20 ? 1 : 0, i < 19 || i >= 30 ? 1 : 0] as const))
  const comparison = comparePaired({ pairs })
  expect(comparison).toMatchObject({ n: 40, a: 0.5, b: 29 / 40, verdict: 'better', worsened: ['19'] })
  expect(comparison.improved).toHaveLength(10)
  // McNemar's χ² of 10 and 1 without correction, as SciPy has it, and his exact test.
  expect(comparison.p).toBeCloseTo(0.006655605482949, 12)
  expect(comparison.mcnemar).toBeCloseTo(0.01171875, 10)
  expect(comparePaired({ pairs, higherIsBetter: false }).verdict).toBe('worse')
})

test('an unclear difference says how many docs are needed for a decision', () => {
  const pairs = asPairs([...Array.from({ length: 98 }, () => [1, 1] as const), [0, 1], [1, 0], [0, 1]])
  const comparison = comparePaired({ pairs })
  expect(comparison.verdict).toBe('undecided')
  expect(comparison.docsToDecide).toBeGreaterThan(101)
})

test('models that never differ are the same', () => {
  expect(
    comparePaired({
      pairs: asPairs([
        [1, 1],
        [0, 0],
        [1, 1],
      ]),
    }),
  ).toMatchObject({ verdict: 'same', p: 1 })
  expect(comparePaired({ pairs: [] })).toMatchObject({ verdict: 'same', n: 0 })
})

test('docs that share a picture count as one, so that a cluster has less weight than single docs', () => {
  const values = Array.from({ length: 30 }, (_, i) => [0, i % 3 === 0 ? 0 : 1] as const)
  const single = comparePaired({ pairs: asPairs(values) })
  const pairs = asPairs(values).map((pair, i) => ({ ...pair, cluster: `picture ${i % 3}` }))
  const clustered = comparePaired({ pairs })
  expect(single.verdict).toBe('better')
  expect(clustered.verdict).toBe('undecided')
})

test('the number of docs needed for a decision follows the textbook formula', () => {
  expect(docsToDecide({ difference: 0.03, deviation: 0.5 })).toBe(2181)
  expect(docsToDecide({ difference: 0, deviation: 0.5 })).toBeUndefined()
  // ((1.6449 + 1.2816) · 0.5 / 0.05)² for two one-sided tests of equal models.
  expect(docsToDecide({ difference: 0, deviation: 0.5 }, { margin: 0.05 })).toBe(857)
  expect(docsToDecide({ difference: 0.06, deviation: 0.5 }, { margin: 0.05 })).toBe(546)
})

test('with a margin, models surely within it are equivalent, and few docs stay undecided', () => {
  const values = (docs: number) =>
    asPairs(Array.from({ length: docs }, (_, i) => [i % 2, i % 40 === 0 ? 1 - (i % 2) : i % 2] as const))
  const many = comparePaired({ pairs: values(2_000), margin: 0.05 })
  expect(many).toMatchObject({ verdict: 'equivalent', equivalence: { margin: 0.05 } })
  expect(many.equivalence?.p).toBeLessThan(0.001)
  expect(comparePaired({ pairs: values(2_000) }).verdict).not.toBe('equivalent')
  const few = comparePaired({ pairs: values(80), margin: 0.02 })
  expect(few.verdict).toBe('undecided')
  expect(few.docsToDecide).toBeGreaterThan(80)
})

describe('differences of 0/1 scores', () => {
  const same = (length: number, pair: readonly [number, number]) => asPairs(Array.from({ length }, () => pair))
  const inClusters = (pairs: ReturnType<typeof asPairs>, size: number) =>
    pairs.map((pair, index) => ({ ...pair, cluster: String(Math.floor(index / size)) }))

  test('have an interval with a width, within [-1, 1], that contains the difference', () => {
    fc.assert(
      fc.property(bits, fc.integer({ min: 1, max: 4 }), (values, size) => {
        for (const pairs of [asPairs(values), inClusters(asPairs(values), size)]) {
          const { difference, interval } = comparePaired({ pairs })
          if (interval === undefined) continue
          const [low, high] = interval
          expect(low).toBeGreaterThanOrEqual(-1)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(difference + 1e-12)
          expect(high).toBeGreaterThanOrEqual(difference - 1e-12)
          expect(high - low).toBeGreaterThan(0)
        }
      }),
    )
  })

  test('have an interval with a width even if all docs differ alike', () => {
    const five = comparePaired({ pairs: same(5, [0, 1]) })
    expect(five).toMatchObject({ difference: 1, verdict: 'better' })
    // Of five pairs that all differ, the score test leaves differences of 2n/(n + z²) − 1 and above.
    expect(five.interval).toEqual([expect.closeTo(10 / (5 + 1.959963984540054 ** 2) - 1, 9), 1])
    expect(five.p).toBeCloseTo(0.0253473186774682, 12)
  })

  test('in clusters that all differ alike count each cluster once', () => {
    const few = comparePaired({ pairs: inClusters(same(12, [0, 1]), 2) })
    expect(few).toMatchObject({ verdict: 'undecided' })
    expect(few.interval![0]).toBeLessThan(0)
    const more = comparePaired({ pairs: inClusters(same(14, [0, 1]), 2) })
    expect(more).toMatchObject({ verdict: 'better' })
    expect(more.interval![0]).toBeGreaterThan(0)
  })

  test('in too few clusters have no interval and no verdict', () => {
    const few = comparePaired({ pairs: inClusters(same(30, [0, 1]), 10) })
    expect(few).toMatchObject({ verdict: 'undecided', noInterval: 'too few clusters' })
    expect(few.p).toBeUndefined()
    expect(few.interval).toBeUndefined()
  })
})

test('other scores that all differ equally have no interval, and the sign test decides', () => {
  const pairs = Array.from({ length: 8 }, (_, index) => ({ id: String(index), a: index / 10, b: index / 10 + 0.25 }))
  const compared = comparePaired({ pairs })
  expect(compared).toMatchObject({ noInterval: 'all differences are equal', p: 2 ** -7, verdict: 'better' })
})

test('the effective size of clusters is at most the number of docs, and at least that of clusters', () => {
  const counted = { n: 40, mean: 0.5, stderr: 0.2, df: 9, parts: 10 }
  expect(effectiveSize(counted, { variance: 0.25 })).toBeLessThan(0.25 / 0.2 ** 2)
  expect(effectiveSize({ ...counted, stderr: 0.01 }, { variance: 0.25 })).toBe(40)
  expect(effectiveSize({ ...counted, mean: 1, stderr: 0 }, { variance: 0 })).toBe(10)
})
