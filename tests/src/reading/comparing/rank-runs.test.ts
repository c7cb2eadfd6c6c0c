import { expect, test } from 'vitest'
import type { RunComparison } from '../../../../src/index.js'
import { rankRuns } from '../../../../src/index.js'

/** Run b against run a over 100 docs of one task. */
function comparison(a: string, b: string, better: number, worse: number): RunComparison {
  const metric = {
    task: 'mme',
    metric: 'acc',
    n: 100,
    improved: Array.from({ length: better }, (_, doc) => `i${doc}`),
    worsened: Array.from({ length: worse }, (_, doc) => `w${doc}`),
  }
  return { a, b, metrics: [metric as unknown as RunComparison['metrics'][number]], notes: [] }
}

test('ranks runs by their wins, with equal scores as half a win', () => {
  // Odds of 1, 2 and 4: every pair agrees with the model, so that the estimate is exact.
  const [ranking] = rankRuns([
    comparison('one', 'two', 200 / 3, 100 / 3),
    comparison('one', 'four', 80, 20),
    comparison('two', 'four', 200 / 3, 100 / 3),
  ])
  expect(ranking).toMatchObject({ task: 'mme', metric: 'acc', runs: [{ run: 'four' }, { run: 'two' }, { run: 'one' }] })
  const elo = ranking?.runs.map(run => run.elo) ?? []
  const step = (400 * Math.log(2)) / Math.LN10
  // Ties count as half a win, which moves the strengths slightly together.
  expect(elo[0]).toBeGreaterThan(0.95 * step)
  expect(elo[0]).toBeLessThan(1.05 * step)
  expect(elo[0]).toBeCloseTo(-(elo[2] ?? 0), 0)
  expect(Math.abs(elo[1] ?? 1)).toBeLessThan(3)
  expect(ranking?.runs.every(({ halfWidth }) => halfWidth > 20 && halfWidth < 80)).toBe(true)
})

test('does not rank two runs, or runs without a finite estimate', () => {
  expect(rankRuns([comparison('a', 'b', 10, 5)])).toEqual([])
  expect(rankRuns([comparison('a', 'b', 100, 0), comparison('a', 'c', 100, 0), comparison('b', 'c', 50, 50)])).toEqual(
    [],
  )
})
