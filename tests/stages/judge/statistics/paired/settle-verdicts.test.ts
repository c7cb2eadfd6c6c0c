import { expect, test } from 'vitest'
import { createSeededRandom } from '../../../../../base/values/seeded-random.js'
import { comparePaired } from '../../../../../stages/judge/statistics/paired/compare-paired.js'
import { settleVerdicts } from '../../../../../stages/judge/statistics/paired/settle-verdicts.js'

/** 0/1 scores of two models, each with its own probability of a right answer. */
function drawComparison(random: () => number, chanceA: number, chanceB: number) {
  const pairs = Array.from({ length: 200 }, (_, i) => ({
    id: String(i),
    a: random() < chanceA ? 1 : 0,
    b: random() < chanceB ? 1 : 0,
  }))
  return comparePaired({ pairs })
}

test('twenty comparisons rarely find a false difference, and still find a real one', () => {
  const draw = createSeededRandom(7)
  const random = (): number => draw() / 2 ** 32
  const families = 100
  let wrong = 0
  let found = 0
  for (let family = 0; family < families; family++) {
    const settled = settleVerdicts([
      drawComparison(random, 0.4, 0.8),
      ...Array.from({ length: 20 }, () => drawComparison(random, 0.5, 0.5)),
    ])
    if (settled[0]?.verdict === 'better') found += 1
    if (settled.slice(1).some(({ verdict }) => verdict !== 'undecided' && verdict !== 'same')) wrong += 1
  }
  expect(found).toBe(families)
  // At 5 % a family, 100 families have at most 11 with 99.6 %; without an adjustment about 50 would have.
  expect(wrong).toBeLessThanOrEqual(11)
})

test('a single comparison stays unchanged, and one that the adjustment undoes says how many docs are needed', () => {
  const single = comparePaired({
    pairs: Array.from({ length: 40 }, (_, i) => ({ id: String(i), a: i < 30 ? 1 : 0, b: i < 29 || i >= 32 ? 1 : 0 })),
  })
  expect(single.verdict).toBe('better')
  expect(single.p).toBeCloseTo(0.0390625, 12)
  expect(settleVerdicts([single])[0]).toMatchObject({ verdict: 'better', adjustedP: single.p })
  const [first] = settleVerdicts([single, single, single])
  expect(first).toMatchObject({ verdict: 'undecided' })
  expect(first?.adjustedP).toBeCloseTo(3 * 0.0390625, 12)
  expect(first?.docsToDecide).toBeGreaterThan(40)
})
