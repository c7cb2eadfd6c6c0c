/** Models that are equal are rarely called worse than the one with the best score. 300 repetitions have a standard error of 1.3 %. */
import { describe, expect, test } from 'vitest'
import { simulateTables } from '../../../../../bench/simulations/leaderboards.js'
import { computeRangeP, findWorse } from '../../../../../stages/judge/statistics/multiplicity/find-worse.js'

const repetitions = 300
// Four standard errors above 5 %.
const most = 0.1

describe('among equal models some is called worse in at most about 5 %', () => {
  test.each([
    { models: 2, docs: 200, p: 0.7 },
    { models: 10, docs: 200, p: 0.7 },
    { models: 20, docs: 150, p: 0.69 },
    { models: 40, docs: 100, p: 0.6 },
    { models: 10, docs: 60 },
    { models: 40, docs: 60 },
    { models: 10, docs: 90, clusterSize: 3 },
    { models: 10, docs: 150, p: 0.8, clusterSize: 3 },
  ])('%j', cell => {
    expect(simulateTables({ ...cell, repetitions, seed: 3 }).wrong).toBeLessThan(most)
  })
})

test.each([
  { models: 10, docs: 200, p: 0.7, worseBy: 0.6 },
  { models: 40, docs: 100, worseBy: 0.6 },
  { models: 10, docs: 150, worseBy: 0.6, clusterSize: 3 },
])('a model that is truly worse is found, and equal ones stay: %j', cell => {
  const { found, wrong } = simulateTables({ ...cell, repetitions: 100, seed: 4 })
  expect(found).toBeGreaterThan(0.9)
  expect(wrong).toBeLessThan(0.14)
})

test('the p of a range equals tables of the studentized range', () => {
  // The upper 5 % points of the range of normal values: 2.772, 3.314, 4.474, 5.012, 5.493 (Pearson and Hartley 1954, SciPy 1.17).
  const normalTail = (z: number): number => {
    // Twice the tail of z, by the continued fraction of Laplace.
    let fraction = 0
    for (let term = 200; term > 0; term--) fraction = term / (z + fraction)
    return (2 * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI) / (z + fraction)
  }
  for (const [count, point] of [
    [2, 2.7718],
    [3, 3.3145],
    [10, 4.4745],
    [20, 5.0117],
  ] as const)
    expect(computeRangeP(normalTail(point / Math.SQRT2), count)).toBeCloseTo(0.05, 4)
  expect(computeRangeP(1e-12, 40)).toBeCloseTo(780e-12, 15)
  expect(computeRangeP(1, 5)).toBe(1)
})

test('two columns have the verdicts of Holm’s method over rows', () => {
  const rows = [0.01, 0.02, 0.03, 0.9].map(p => [{ p, isBelow: true }])
  // 4 · 0.01 < 0.05, and 3 · 0.02 is not.
  expect(findWorse(rows)).toEqual([[true], [false], [false], [false]])
  expect(findWorse([[{ p: 0.04, isBelow: true }]])).toEqual([[true]])
  expect(findWorse([[{ p: 0.04, isBelow: false }]])).toEqual([[false]])
  expect(findWorse([[], [{ isBelow: true }]])).toEqual([[], [false]])
})
