import { intervalWithin } from '../../../stages/judge/statistics/intervals/bounded-interval.js'
import { wilson } from '../../../stages/judge/statistics/intervals/proportions.js'
import { tInterval } from '../../../stages/judge/statistics/intervals/mean.js'

/** The values so far of one metric, as their sums. */
export interface RunningSums {
  readonly n: number
  readonly sum: number
  /** The sum of the squares. */
  readonly squares: number
}

export const noSums: RunningSums = { n: 0, sum: 0, squares: 0 }

export const addSums = (a: RunningSums, b: RunningSums): RunningSums => ({
  n: a.n + b.n,
  sum: a.sum + b.sum,
  squares: a.squares + b.squares,
})

/**
 * The 95 % interval of the mean so far: Wilson's for values of 0 and 1, else Student's. It takes docs as independent,
 * so a task with a cluster key gets a wider one at the end. A single value has no interval.
 */
export function runningInterval({ n, sum, squares }: RunningSums): readonly [number, number] | null {
  if (n < 2) return null
  // Only 0 and 1 equal their square, so equal sums mean that all values are 0 or 1.
  if (squares === sum && Number.isInteger(sum)) return wilson(sum, n)
  const mean = sum / n
  const stderr = Math.sqrt(Math.max(0, squares - sum * mean) / (n - 1) / n)
  // The squares of very large scores are infinite.
  if (!Number.isFinite(stderr)) return null
  const range = sum >= 0 && squares <= sum ? ([0, 1] as const) : undefined
  const interval = tInterval({ mean, stderr }, n - 1)
  return intervalWithin({ n, mean, stderr, df: n - 1, parts: n, interval }, range)?.interval ?? null
}
