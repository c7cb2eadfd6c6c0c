/** Error rates by seeded simulation. 1500 repetitions have a standard error of 0.6 %; the bounds are four of them wide. */
import { expect, test } from 'vitest'
import { simulateCoverage, simulateErrorRates } from '../../../../bench/simulations/error-rates.js'
import { simulateGroupCoverage, type SimulatedGroup } from '../../../../bench/simulations/group-coverage.js'

const repetitions = 1_500
const equal = (clusters: number, size: number): readonly number[] => new Array<number>(clusters).fill(size)

test.each([
  { sizes: equal(10, 3), icc: 0 },
  { sizes: equal(10, 3), icc: 0.5 },
  { sizes: equal(20, 4), icc: 0.1 },
  { sizes: equal(20, 4), icc: 0.3, p: 0.7 },
])('the clustered test keeps its level for clusters of equal size: %j', cell => {
  const { cr1, cr2 } = simulateErrorRates({ ...cell, repetitions, seed: 5 })
  for (const rate of [cr1, cr2]) {
    expect(rate).toBeGreaterThan(0.025)
    expect(rate).toBeLessThan(0.073)
  }
})

test('the test that ignores clusters finds differences that do not exist', () => {
  const { plain, cr2 } = simulateErrorRates({ sizes: equal(20, 5), icc: 0.5, repetitions, seed: 5 })
  expect(plain).toBeGreaterThan(0.15)
  expect(cr2).toBeLessThan(0.073)
})

test('with very unequal clusters, only CR2 keeps the level', () => {
  const sizes = [50, 20, 10, 5, 3, 2, 1, 1, 1, 1]
  const { cr1, cr2 } = simulateErrorRates({ sizes, icc: 0.3, repetitions, seed: 5 })
  expect(cr1).toBeGreaterThan(0.1)
  expect(cr2).toBeLessThan(0.073)
})

// 600 repetitions have a standard error of 0.9 %.
test.each(['f1', 'ratio', 'groups'] as const)(
  'the bootstrap interval of 100 docs in 20 clusters covers the true value: %s',
  number => {
    const coverage = simulateCoverage(number, { sizes: equal(20, 5), icc: 0.3, repetitions: 600, seed: 5 })
    expect(coverage).toBeGreaterThanOrEqual(0.92)
    expect(coverage).toBeLessThan(0.985)
  },
)

test.each(['f1', 'ratio'] as const)('a 95 % interval of 100 independent docs has its nominal coverage: %s', number => {
  const coverage = simulateCoverage(number, { sizes: equal(100, 1), icc: 0, repetitions: 300, seed: 5 })
  expect(coverage).toBeGreaterThanOrEqual(0.92)
})

test('one large cluster among small ones has no interval', () => {
  const sizes = [50, 20, 10, 5, 3, 2, 1, 1, 1, 1]
  expect(simulateCoverage('f1', { sizes, icc: 0.3, repetitions: 10, seed: 5 })).toBeUndefined()
})

type GroupCell = Omit<SimulatedGroup, 'repetitions' | 'seed'>

const unequal = [10, 20, 30, 50, 80, 100, 150, 200, 300, 500]

test.each<GroupCell>([
  // One large task and small ones, in which often all answers are right or wrong.
  ...[0.02, 0.5, 0.9, 0.98].map(p => ({ sizes: [1_000, 10, 10], p, weightBySize: false })),
  ...[0.1, 0.98].map(p => ({ sizes: [1_000, ...equal(9, 10)], p, weightBySize: false })),
  ...[0.02, 0.98].map(p => ({ sizes: unequal, p, weightBySize: false })),
  { sizes: unequal, p: 0.98, weightBySize: true },
  { sizes: [1_000, 10, 10], p: 0.98, weightBySize: true },
  ...[0.1, 0.98].map(p => ({ sizes: equal(20, 20), p, weightBySize: false })),
  ...[0.5, 0.98].map(p => ({ sizes: equal(57, 100), p, weightBySize: true })),
  { sizes: [2, 3, 5, 5], p: 0.9, weightBySize: false },
  { sizes: equal(30, 1), p: 0.9, weightBySize: true },
  { sizes: [600, 20, 20], p: 0.95, weightBySize: false, kind: 'clusters' },
  { sizes: equal(8, 60), p: 0.1, weightBySize: true, kind: 'clusters' },
  { sizes: [600, 20, 20], p: 0.9, weightBySize: false, kind: 'samples' },
  { sizes: equal(8, 60), p: 0.95, weightBySize: true, kind: 'samples' },
])('the interval of a group of tasks covers its mean: %j', async cell => {
  const { covered, width } = await simulateGroupCoverage({ ...cell, repetitions: 600, seed: 5 })
  // Four standard errors of 600 repetitions below 95 %.
  expect(covered).toBeGreaterThan(0.914)
  // Where often nothing is seen, the interval is wider than one that knows the standard error.
  expect(width).toBeLessThan(cell.sizes.every(size => size >= 60) ? 1.2 : 1.9)
})
