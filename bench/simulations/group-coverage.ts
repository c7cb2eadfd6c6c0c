/** Coverage of the intervals of groups of tasks, by seeded simulation of the scores of their docs. */
import type { Aggregate } from '../../cache/records.js'
import { summariseWith } from '../../stages/judge/aggregations/means.js'
import { groupAggregates } from '../../stages/judge/group-aggregates.js'
import { makeDraws } from './draws.js'

/** A group of tasks whose docs all have one expected score. */
export interface SimulatedGroup {
  /** The number of docs of each task. */
  readonly sizes: readonly number[]
  /** The share of right answers. */
  readonly p: number
  /** Whether tasks count by their number of docs. If not, each counts the same. */
  readonly weightBySize: boolean
  /**
   * Scores of 0 and 1; the same in pairs of docs that mostly agree; or means of four samples, whose docs differ in difficulty.
   *
   * @default 'shares'
   */
  readonly kind?: 'shares' | 'clusters' | 'samples'
  readonly repetitions: number
  readonly seed: number
}

/** The coverage of a group's 95 % interval, and its mean width as a share of that of the true standard error. */
export interface GroupCoverage {
  readonly covered: number
  readonly width: number
}

/** Simulates the interval of a group: aggregates of tasks from the scores of docs, and the group's aggregate of these. */
export async function simulateGroupCoverage(group: SimulatedGroup): Promise<GroupCoverage> {
  const { sizes, p, weightBySize, kind = 'shares', repetitions, seed } = group
  const { uniform } = makeDraws(seed)
  const names = sizes.map((_, at) => `task-${at}`)
  const spec = { name: 'group', tasks: names, rules: [{ metric: 'acc', weightBySize }] }
  const draw = { shares: drawShares, clusters: drawClusters, samples: drawSamples }[kind]
  let [covered, width, sum, squares] = [0, 0, 0, 0]
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const aggregates = names.map((task, at): Aggregate => {
      const n = sizes[at] ?? 0
      const { values, clusters } = draw(n, p, uniform)
      const counts = { unparsed: 0, empty: 0, n, total: n }
      const summary = summariseWith(values, clusters, [0, 1])
      return { task, metric: 'acc', filter: 'none', higherIsBetter: true, ...counts, ...summary }
    })
    const [whole] = await groupAggregates([spec], aggregates)
    const [low, high] = whole?.interval ?? [NaN, NaN]
    const value = whole?.value ?? NaN
    covered += Number(low <= p && p <= high)
    width += high - low
    sum += value
    squares += value * value
  }
  const deviation = Math.sqrt((squares - (sum * sum) / repetitions) / (repetitions - 1))
  return { covered: covered / repetitions, width: width / repetitions / (2 * 1.96 * deviation) }
}

interface DrawnTask {
  readonly values: Float64Array
  readonly clusters?: readonly string[]
}

type DrawTask = (n: number, p: number, uniform: () => number) => DrawnTask

const drawShares: DrawTask = (n, p, uniform) => ({
  values: Float64Array.from({ length: n }, () => Number(uniform() < p)),
})

const drawClusters: DrawTask = (n, p, uniform) => {
  let shared = 0
  const values = Float64Array.from({ length: n }, (_, doc) => {
    if (doc % 2 === 0) shared = uniform()
    return Number((uniform() < 0.5 ? shared : uniform()) < p)
  })
  return { values, clusters: Array.from(values, (_, doc) => String(Math.floor(doc / 2))) }
}

/** Half of the docs are as hard as all of them, and the other half have one of two difficulties around that. */
const drawSamples: DrawTask = (n, p, uniform) => ({
  values: Float64Array.from({ length: n }, () => {
    const spread = Math.min(p, 1 - p) * (uniform() < 0.5 ? 0 : uniform() < 0.5 ? -0.8 : 0.8)
    let right = 0
    for (let sample = 0; sample < 4; sample++) right += Number(uniform() < p + spread)
    return right / 4
  }),
})
