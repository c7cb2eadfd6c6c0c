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
  // McNemar's χ² of 8 and 1.
  expect(single.p).toBeCloseTo(0.0196306572572905, 12)
  expect(settleVerdicts([single])[0]).toMatchObject({ verdict: 'better', adjustedP: single.p })
  const [first] = settleVerdicts([single, single, single])
  expect(first).toMatchObject({ verdict: 'undecided' })
  expect(first?.adjustedP).toBeCloseTo(3 * 0.0196306572572905, 12)
  expect(first?.docsToDecide).toBeGreaterThan(40)
})

test('without its equivalence, a comparison of a family is still better if its difference holds', () => {
  const pairs = (difference: number, deviation: number) =>
    Array.from({ length: 100 }, (_, i) => ({ id: String(i), a: 0, b: difference + deviation * ((i % 2) * 2 - 1) }))
  const settle = (margin: number | undefined, higherIsBetter = true) =>
    settleVerdicts(
      [pairs(0.02, 0.05), pairs(0, 0.5)].map(docs => comparePaired({ pairs: docs, margin, higherIsBetter })),
    ).map(({ verdict }) => verdict)
  // One of two equivalences has p = 0.039, which Holm's method doubles. The difference has p = 0.00013.
  expect(settle(0.0289)).toEqual(['better', 'undecided'])
  expect(settle(0.0289, false)).toEqual(['worse', 'undecided'])
  expect(settle(undefined)).toEqual(['better', 'undecided'])
  expect(settle(0.05)).toEqual(['equivalent', 'undecided'])
})

test('a model that may have been chosen by its score is rarely called better than its equals, and one that is better is found', () => {
  const draw = createSeededRandom(9)
  const random = (): number => draw() / 2 ** 32
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const countBetter = (models: number, gain: number): number => {
    let any = 0
    for (let table = 0; table < 100; table++) {
      const columns = Array.from({ length: models }, (_, model) =>
        Array.from({ length: 100 }, () => (random() < (model === 0 ? 0.5 + gain : 0.5) ? 1 : 0)),
      )
      const means = columns.map(mean)
      const best = columns[means.indexOf(Math.max(...means))]!
      const compared = columns.flatMap(column =>
        column === best
          ? []
          : [comparePaired({ pairs: column.map((a, doc) => ({ id: String(doc), a, b: best[doc]! })) })],
      )
      if (settleVerdicts(compared).some(({ verdict }) => verdict === 'better')) any += 1
    }
    return any
  }
  // At 5 %, 100 tables have at most 13 with 99.9 %. Without the choice, 10 models would have about 14 and 20 about 20.
  for (const models of [3, 10, 20]) expect(countBetter(models, 0)).toBeLessThanOrEqual(13)
  expect(countBetter(10, 0.4)).toBe(100)
})

test('a fixed model that others are compared with keeps the method of Holm', () => {
  const pairs = (chosen: readonly number[]) =>
    Array.from({ length: 100 }, (_, doc) => ({ id: String(doc), a: chosen[doc]!, b: doc < 50 ? 1 : 0 }))
  const upTo = (count: number): readonly number[] => Array.from({ length: 100 }, (_, doc) => (doc < count ? 1 : 0))
  const better = comparePaired({ pairs: pairs(upTo(38)) })
  const worse = comparePaired({ pairs: pairs(upTo(62)) })
  const settled = settleVerdicts([better, worse])
  expect(settled.map(({ verdict }) => verdict)).toEqual(['better', 'worse'])
  expect(settled[0]?.adjustedP).toBeCloseTo(2 * better.p!, 12)
  // One that does better than all others may be chosen: the p is that of the range of three.
  const chosen = settleVerdicts([better, comparePaired({ pairs: pairs(upTo(40)) })])
  expect(chosen[0]?.adjustedP).toBeGreaterThan(2 * better.p!)
  expect(chosen[0]?.adjustedP).toBeLessThan(3 * better.p!)
})
