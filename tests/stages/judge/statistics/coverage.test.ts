/** How often intervals cover the truth, by seeded simulation. 600 repetitions have a standard error of 1 %. */
import { describe, expect, test } from 'vitest'
import type { Aggregate } from '../../../../cache/records.js'
import { mean } from '../../../../stages/judge/aggregations/means.js'
import type { Summary } from '../../../../stages/judge/define/define-aggregation.js'
import { groupAggregates } from '../../../../stages/judge/group-aggregates.js'
import { wilson } from '../../../../stages/judge/statistics/intervals/proportions.js'
import { seededRandom } from '../../../support/seeded.js'

const repetitions = 600
const fewest = 0.92

if (mean.of !== 'numbers') throw new Error('the mean takes numbers')
const numbers = mean
const summarise = (values: Float64Array): Summary => numbers.summarise(values)
const summariseClustered = (values: Float64Array, clusters: readonly string[]): Summary | undefined =>
  numbers.summariseClustered?.(values, clusters, [0, 1])

const ofTask = (task: number, n: number, summary: Summary): Aggregate => ({
  ...summary,
  ...{ task: `t${task}`, metric: 'acc', filter: 'none', higherIsBetter: true },
  ...{ n, total: n, unparsed: 0, empty: 0 },
})

const draws = (random: () => number, n: number, p: number): Float64Array =>
  Float64Array.from({ length: n }, () => (random() < p ? 1 : 0))

async function groupOf(tasks: readonly Aggregate[], weightBySize: boolean): Promise<Aggregate> {
  const rule = { metric: 'acc', weightBySize }
  const [group] = await groupAggregates([{ name: 'g', tasks: tasks.map(({ task }) => task), rules: [rule] }], tasks)
  return group!
}

describe('the interval of a group of tasks', () => {
  interface Cell {
    readonly tasks: number
    readonly docs: number
    readonly p: number
    /** The difference of the tasks' p from the mean. @default 0 */
    readonly spread?: number
    /** Whether the tasks have 0.3 to 1.7 times as many docs. @default false */
    readonly isUnequal?: boolean
    readonly weightBySize?: boolean
  }
  const cells: readonly Cell[] = [
    { tasks: 20, docs: 20, p: 0.98 },
    { tasks: 57, docs: 100, p: 0.98 },
    { tasks: 5, docs: 20, p: 0.5 },
    { tasks: 5, docs: 20, p: 0.9 },
    { tasks: 20, docs: 5, p: 0.8, isUnequal: true },
    { tasks: 20, docs: 20, p: 0.95, spread: 0.045, isUnequal: true, weightBySize: true },
    { tasks: 20, docs: 20, p: 0.6, spread: 0.35, weightBySize: true },
    { tasks: 10, docs: 30, p: 0.02 },
  ]

  test.each(cells)(
    'covers the mean: %j',
    async ({ tasks, docs, p, spread = 0, isUnequal = false, weightBySize = false }) => {
      const place = (task: number): number => task / (tasks - 1)
      const sizes = Array.from({ length: tasks }, (_, task) =>
        isUnequal ? Math.max(2, Math.round(docs * (0.3 + 1.4 * place(task)))) : docs,
      )
      const truths = sizes.map((_, task) => p + spread * (2 * place(task) - 1))
      const weights = sizes.map(size => (weightBySize ? size : 1))
      const whole = weights.reduce((sum, weight) => sum + weight, 0)
      const truth = truths.reduce((sum, one, task) => sum + one * weights[task]!, 0) / whole
      const random = seededRandom(27)
      let covered = 0
      for (let repetition = 0; repetition < repetitions; repetition++) {
        const parts = sizes.map((n, task) => ofTask(task, n, summarise(draws(random, n, truths[task]!))))
        const [low, high] = (await groupOf(parts, weightBySize)).interval!
        if (low <= truth && truth <= high) covered += 1
      }
      expect(covered / repetitions).toBeGreaterThanOrEqual(fewest)
    },
  )

  test('resembles that of all docs in one task if all tasks are alike', async () => {
    // 394 of 400 are right, and six tasks have one wrong answer each.
    const values = (wrong: boolean): Float64Array =>
      Float64Array.from({ length: 20 }, (_, at) => (wrong && at === 0 ? 0 : 1))
    const tasks = Array.from({ length: 20 }, (_, task) => ofTask(task, 20, summarise(values(task < 6))))
    const { interval, intervalMethod } = await groupOf(tasks, true)
    const [low, high] = wilson(394, 400)
    expect(intervalMethod).toBe('wilson')
    expect(interval![0]).toBeCloseTo(low, 2.5)
    expect(interval![1]).toBeCloseTo(high, 2.5)
  })

  test('has a width even if all answers of all tasks are right', async () => {
    const ones = new Float64Array(20).fill(1)
    const tasks = Array.from({ length: 5 }, (_, task) => ofTask(task, 20, summarise(ones)))
    expect(await groupOf(tasks, true)).toMatchObject({
      value: 1,
      interval: [expect.closeTo(wilson(100, 100)[0], 2), 1],
    })
  })

  test('keeps the scale of percentages, and combines with intervals of graded values', async () => {
    const percent = (summary: Summary): Summary => ({
      ...summary,
      ...{ value: 100 * summary.value!, stderr: 100 * summary.stderr!, intervalRange: [0, 100] },
      interval: [100 * summary.interval![0], 100 * summary.interval![1]],
    })
    const shares = [0.9, 0.8].map(p => summarise(draws(seededRandom(3), 50, p)))
    const plain = await groupOf(
      shares.map((summary, task) => ofTask(task, 50, summary)),
      true,
    )
    const scaled = await groupOf(
      shares.map((summary, task) => ofTask(task, 50, percent(summary))),
      true,
    )
    expect(scaled.interval!.map(end => end / 100)).toEqual(plain.interval!.map(end => expect.closeTo(end, 9) as number))
    const graded = summarise(Float64Array.from({ length: 50 }, (_, at) => (at % 5) / 4))
    const mixed = await groupOf([ofTask(0, 50, shares[0]!), ofTask(1, 50, graded)], true)
    expect(mixed.intervalMethod).toBe('t')
    expect(mixed.interval![0]).toBeLessThan(mixed.value!)
    expect(mixed.interval![1]).toBeLessThanOrEqual(1)
  })
})

describe('the interval of 0/1 values in clusters', () => {
  const cells = [
    { clusters: 10, size: 4, p: 0.5 },
    { clusters: 10, size: 4, p: 0.9 },
    { clusters: 30, size: 4, p: 0.9 },
    { clusters: 30, size: 2, p: 0.97 },
    { clusters: 100, size: 3, p: 0.97 },
  ]

  test.each(cells)('covers the mean: %j', ({ clusters, size, p }) => {
    const random = seededRandom(11)
    const names = Array.from({ length: clusters * size }, (_, doc) => `${Math.floor(doc / size)}`)
    let covered = 0
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const values = new Float64Array(names.length)
      for (let cluster = 0; cluster < clusters; cluster++) {
        const shared = random() < p ? 1 : 0
        // Three of ten docs repeat what their cluster says.
        for (let at = 0; at < size; at++) values[cluster * size + at] = random() < 0.3 ? shared : random() < p ? 1 : 0
      }
      const [low, high] = summariseClustered(values, names)!.interval!
      if (low <= p && p <= high) covered += 1
    }
    expect(covered / repetitions).toBeGreaterThanOrEqual(fewest)
  })
})
