/** Intervals of few items: they have a width, stay within their range, and cover. 400 repetitions have a standard error of 1.1 %. */
import { describe, expect, test } from 'vitest'
import { makeDraws } from '../../../../bench/simulations/draws.js'
import { simulateStability } from '../../../../bench/simulations/stability-coverage.js'
import { runningInterval } from '../../../../src/reading/progress/running-mean.js'
import { measureRunStability } from '../../../../src/reading/stability/measure-run-stability.js'
import { balancedAccuracyAggregation } from '../../../../stages/judge/metrics/classification/agreement.js'
import { computeKappa } from '../../../../stages/judge/statistics/agreement/cohen.js'

const repetitions = 400
const fewest = 0.906

describe('kappa of two raters', () => {
  test.each([
    { items: 20, share: 0.5, errors: 0.1 },
    { items: 20, share: 0.5, errors: 0.25 },
    { items: 20, share: 0.8, errors: 0.1 },
    { items: 50, share: 0.5, errors: 0.025 },
    { items: 100, share: 0.9, errors: 0.03 },
  ])('has an interval that covers it: %j', ({ items, share, errors }) => {
    const { uniform } = makeDraws(5)
    const other = share * (1 - errors) + (1 - share) * errors
    const chance = share * other + (1 - share) * (1 - other)
    const truth = (1 - errors - chance) / (1 - chance)
    let [covered, drawn] = [0, 0]
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const first = Array.from({ length: items }, () => uniform() < share)
      const second = first.map(category => (uniform() < errors ? !category : category))
      if (new Set([...first, ...second]).size < 2) continue
      const [low, high] = computeKappa(first, second).boundedInterval
      expect(low).toBeGreaterThanOrEqual(-1)
      expect(high).toBeLessThanOrEqual(1)
      expect(high - low).toBeGreaterThan(0.01)
      drawn += 1
      covered += Number(low <= truth && truth <= high)
    }
    expect(covered / drawn).toBeGreaterThan(fewest)
  })

  test('of equal raters is 1, with an interval below it', () => {
    const labels = Array.from({ length: 20 }, (_, item) => item < 10)
    const { kappa, boundedInterval } = computeKappa(labels, labels)
    // The agreement of 20 of 20 is at least 0.839, of which chance explains 0.5.
    expect([kappa, ...boundedInterval]).toEqual([1, expect.closeTo(2 * 0.8388748 - 1, 6), 1])
  })
})

describe('stability over samples', () => {
  test.each([
    { docs: 20, chances: [0.5, 0.9] },
    { docs: 20, chances: [0.9, 0.98] },
    { docs: 50, chances: [0.05, 0.3] },
    { docs: 50, chances: [0.1, 0.95] },
  ] as const)('has intervals that cover: %j', cell => {
    const covered = simulateStability({ ...cell, samples: 4, repetitions, seed: 2 })
    for (const [name, rate] of Object.entries(covered)) expect([name, rate > fewest]).toEqual([name, true])
  })

  test('has intervals with a width within their ranges if all samples are right', () => {
    const docs = Array.from({ length: 12 }, (_, doc) => ({
      id: String(doc),
      scores: [1, 1, 1],
      answers: ['a', 'a', 'a'],
    }))
    const { expectedAccuracy, internalVariance, consistencyRate, attempts } = measureRunStability(docs)
    for (const { value, interval } of [
      expectedAccuracy,
      consistencyRate,
      ...attempts.map(({ passHatK }) => passHatK),
    ]) {
      expect(value).toBe(1)
      expect(interval).toEqual([expect.closeTo(0.7575, 3), 1])
    }
    expect(internalVariance.interval![0]).toBe(0)
    expect(internalVariance.interval![1]).toBeGreaterThan(0)
    expect(internalVariance.interval![1]).toBeLessThan(0.375)
  })
})

describe('the running mean', () => {
  test.each([
    ['shares', 0.9, 20],
    ['shares', 0.5, 50],
    ['means of four samples', 0.95, 20],
    ['means of four samples', 0.8, 50],
  ] as const)('of %s around %d has an interval that covers it after %i docs', (kind, chance, docs) => {
    const { uniform } = makeDraws(7)
    let covered = 0
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const sums = { n: docs, sum: 0, squares: 0 }
      for (let doc = 0; doc < docs; doc++) {
        let value = Number(uniform() < chance)
        if (kind !== 'shares') for (let more = 0; more < 3; more++) value += Number(uniform() < chance)
        if (kind !== 'shares') value /= 4
        sums.sum += value
        sums.squares += value * value
      }
      const [low, high] = runningInterval(sums)!
      expect(low).toBeGreaterThanOrEqual(0)
      expect(high).toBeLessThanOrEqual(1)
      covered += Number(low <= chance && chance <= high)
    }
    expect(covered / repetitions).toBeGreaterThan(fewest)
  })
})

describe('balanced accuracy with a rare class', () => {
  test.each([
    { docs: 100, rare: 0.05, recalls: [0.9, 0.9] },
    { docs: 100, rare: 0.05, recalls: [0.95, 0.7] },
    { docs: 100, rare: 0.1, recalls: [0.98, 0.98] },
    { docs: 50, rare: 0.5, recalls: [0.8, 0.5] },
  ] as const)('has an interval that covers it: %j', ({ docs, rare, recalls }) => {
    const { uniform } = makeDraws(9)
    const truth = (recalls[0] + recalls[1]) / 2
    if (balancedAccuracyAggregation.of !== 'folded') throw new Error('the aggregation folds')
    let [covered, drawn] = [0, 0]
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const fold = balancedAccuracyAggregation.start({})
      let hasRare = false
      for (let doc = 0; doc < docs; doc++) {
        const gold = uniform() < rare ? 1 : 0
        hasRare ||= gold === 1
        fold.add([gold, uniform() < recalls[gold] ? gold : 1 - gold])
      }
      if (!hasRare) continue
      const [low, high] = fold.finish().interval!
      drawn += 1
      covered += Number(low <= truth && truth <= high)
    }
    expect(covered / drawn).toBeGreaterThan(fewest)
  })
})
