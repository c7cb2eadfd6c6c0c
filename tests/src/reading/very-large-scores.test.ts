import { expect, test } from 'vitest'
import { ImportedScores } from '../../../src/exchange/imported-scores.js'
import type { ForeignTask } from '../../../src/exchange/foreign-log.js'
import { runningInterval } from '../../../src/reading/progress/running-mean.js'
import { comparePaired } from '../../../stages/judge/statistics/paired/compare-paired.js'

const huge = 1.7e308

test('a comparison of very large scores has finite means', () => {
  const pairs = [huge, huge, huge].map((value, at) => ({ id: String(at), a: value, b: value }))
  const { a, b, difference, verdict } = comparePaired({ pairs })
  expect(a / huge).toBeCloseTo(1)
  expect([b, difference, verdict]).toEqual([a, 0, 'same'])
})

test('a comparison whose scores lie further apart than the largest number has no interval', () => {
  const pairs = [huge, -huge, 1].map((value, at) => ({ id: String(at), a: value, b: value }))
  const { interval, noInterval } = comparePaired({ pairs })
  expect([interval, noInterval]).toEqual([undefined, 'all differences are equal'])
})

test('imported scores of such a size have a mean that can be stored, and no interval', () => {
  const scores = new ImportedScores()
  for (const value of [huge, -huge, 1]) scores.add({ m: value })
  const task: Pick<ForeignTask, 'task' | 'reported'> = { task: 't', reported: [] }
  const { aggregates } = scores.finish(task as ForeignTask, 'a tool')
  expect(aggregates).toMatchObject([{ metric: 'm', stderr: null, interval: null, intervalMethod: 'none' }])
  expect(aggregates[0]?.value).toBeCloseTo(1 / 3)
})

test('a running mean of such scores has no interval', () => {
  expect(runningInterval({ n: 3, sum: huge, squares: Infinity })).toBeNull()
})
