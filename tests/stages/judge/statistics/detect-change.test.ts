import { expect, test } from 'vitest'
import { detectChange } from '../../../../stages/judge/statistics/stability/detect-change.js'
import { seededRandom } from '../../../support/seeded.js'
import { listUnrefused } from '../../../support/golden-vectors.js'

/** Counts the equal answers of `n` docs that repeat their answer with probability `rate`. */
function draw(random: () => number, n: number, rate: number): { readonly matches: number; readonly n: number } {
  return { matches: Array.from({ length: n }, random).filter(value => value < rate).length, n }
}

/** Counts the alarms of 1,000 seeded rechecks. */
function countAlarms(
  {
    rate,
    before,
    docs = 50,
  }: { readonly rate: number; readonly before?: readonly [number, number]; readonly docs?: number },
  seed: number,
): number {
  const random = seededRandom(seed)
  return Array.from({ length: 1_000 }, () => {
    const baseline = before === undefined ? undefined : draw(random, before[0], before[1])
    return detectChange(draw(random, docs, rate), baseline).isChanged
  }).filter(Boolean).length
}

test.each([0.9, 0.95, 0.99, 1])(
  '1,000 stable runs at the tolerance or above it (%d) give less than 1 % false alarms',
  rate => {
    expect(countAlarms({ rate }, 1)).toBeLessThan(10)
  },
)

test.each([50, 200, 1_000].flatMap(n => [0.2, 0.5, 0.8, 0.95, 0.99].map(rate => [n, rate] as const)))(
  '1,000 stable runs with a baseline of %d docs that repeats %d give less than 1 % false alarms',
  (n, rate) => {
    expect(countAlarms({ rate, before: [n, rate] }, 2)).toBeLessThan(10)
  },
)

test('docs with different repeat rates give less than 1 % false alarms', () => {
  const random = seededRandom(3)
  const alarms = Array.from({ length: 1_000 }, () => {
    const rates = Array.from({ length: 200 }, (_, i) => (i % 4 === 0 ? 0.4 : 1))
    const repeat = (docs: readonly number[]) => ({
      matches: docs.filter(rate => random() < rate).length,
      n: docs.length,
    })
    return detectChange(repeat(rates.slice(0, 50)), repeat(rates)).isChanged
  }).filter(Boolean).length
  expect(alarms).toBeLessThan(10)
})

test('detects an endpoint that repeats far fewer answers in over 95 % of 1,000 runs', () => {
  expect(countAlarms({ rate: 0.5 }, 4)).toBeGreaterThan(950)
  expect(countAlarms({ rate: 0.6, before: [500, 0.98] }, 5)).toBeGreaterThan(950)
  expect(countAlarms({ rate: 0.75, before: [500, 0.95], docs: 200 }, 6)).toBeGreaterThan(950)
})

test('the decision has the exact probability', () => {
  // Sums of the binomial and of the hypergeometric distribution in whole numbers.
  expect(detectChange({ matches: 38, n: 50 }).p).toBeCloseTo(0.0032199211359, 12)
  expect(detectChange({ matches: 40, n: 50 }, { matches: 49, n: 50 }).p).toBeCloseTo(0.003890195631396, 12)
  expect(detectChange({ matches: 50, n: 50 })).toMatchObject({ rate: 1, isChanged: false, expected: 0.9 })
})

test('rejects no answers and a tolerance of 1, with a reason', () => {
  const wrong = [
    listUnrefused('no answers', () => detectChange({ matches: 0, n: 0 })),
    listUnrefused('a tolerance of 1', () => detectChange({ matches: 1, n: 1 }, 1)),
  ]
  expect(wrong.flat()).toEqual([])
})
