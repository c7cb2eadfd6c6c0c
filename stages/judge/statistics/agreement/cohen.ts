/** Agreement of two raters. */
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Interval } from '../intervals/interval.js'
import { normalQuantile } from '../distributions/normal.js'
import { wilson } from '../intervals/proportions.js'

/** A category that a rater can choose. */
export type Category = string | number | boolean

/** The disagreement of two categories: fully unless equal, or by their distance in the order of the labels, or by its square. */
export type KappaWeights = 'none' | 'linear' | 'quadratic'

/** Cohen's kappa of two raters. */
export interface CohenKappa {
  /** At most 1, which is perfect agreement; 0 is the agreement that the category frequencies explain. */
  readonly kappa: number
  /** The counts: rows are the first rater's categories, columns the second's, in the order of the labels. */
  readonly table: readonly (readonly number[])[]
  /** The share of items with equal categories. */
  readonly agreement: number
  /** The asymptotic standard error. */
  readonly stderr: number
  /** The asymptotic standard error if there is no agreement beyond chance, for a test of kappa = 0. */
  readonly nullStderr: number
  /** The normal interval, which has no width if all items agree, and may exceed 1. For comparisons with other programs. */
  readonly interval: Interval
  /** The interval from that of the agreement, which lies within [−1, 1] and has a width. */
  readonly boundedInterval: Interval
}

/**
 * Computes Cohen's kappa with its standard errors. `labels` is the order of the categories, by default that of their
 * first appearance, which matters for weights only.
 *
 * Sources: Cohen, Educational and Psychological Measurement 20 (1960); Fleiss, Cohen & Everitt, Psychological Bulletin
 * 72 (1969) for the standard errors with any weights.
 *
 * @throws PipelineError without items, with lists of different lengths, or if chance explains all
 */
export function computeKappa(
  first: readonly Category[],
  second: readonly Category[],
  {
    labels = [...new Set([...first, ...second])],
    weights = 'none',
    alpha = 0.05,
  }: {
    readonly labels?: readonly Category[] | undefined
    readonly weights?: KappaWeights | undefined
    readonly alpha?: number | undefined
  } = {},
): CohenKappa {
  const table = countPairs(first, second, labels)
  const n = first.length
  const shares = table.map(row => row.map(count => count / n))
  const rows = shares.map(add)
  const columns = shares.map((_, j) => add(shares.map(row => row[j] ?? 0)))
  const weigh = (i: number, j: number): number => computeWeight(Math.abs(i - j), labels.length - 1, weights)
  const rowMeans = rows.map((_, i) => add(columns.map((share, j) => share * weigh(i, j))))
  const columnMeans = columns.map((_, j) => add(rows.map((share, i) => share * weigh(i, j))))
  const sumCells = (value: (i: number, j: number) => number): number =>
    add(shares.map((row, i) => add(row.map((_, j) => value(i, j)))))
  const observed = sumCells((i, j) => (shares[i]?.[j] ?? 0) * weigh(i, j))
  const expected = sumCells((i, j) => (rows[i] ?? 0) * (columns[j] ?? 0) * weigh(i, j))
  if (1 - expected < 1e-15)
    throw new PipelineError(
      'usage',
      'Both raters chose one and the same category for all items, so that kappa is undefined.',
    )
  const kappa = (observed - expected) / (1 - expected)
  const computeStderr = (share: (i: number, j: number) => number, value: number, centre: number): number => {
    const spread = sumCells((i, j) => {
      const own = weigh(i, j) - ((rowMeans[i] ?? 0) + (columnMeans[j] ?? 0)) * (1 - value)
      return share(i, j) * own ** 2
    })
    return Math.sqrt(Math.max(0, spread - centre ** 2) / n) / (1 - expected)
  }
  const stderr = computeStderr((i, j) => shares[i]?.[j] ?? 0, kappa, kappa - expected * (1 - kappa))
  const nullStderr = computeStderr((i, j) => (rows[i] ?? 0) * (columns[j] ?? 0), 0, expected)
  const half = -normalQuantile(alpha / 2) * stderr
  return {
    kappa,
    table,
    agreement: add(shares.map((row, i) => row[i] ?? 0)),
    stderr,
    nullStderr,
    interval: [kappa - half, kappa + half],
    boundedInterval: boundKappa({ n, observed, expected, stderr }, -normalQuantile(alpha / 2)),
  }
}

/**
 * Wilson's interval of the agreement, moved to the scale of kappa. The agreement counts as that of the number of items that has kappa's
 * standard error, and at most of all.
 *
 * Source: Lee and Tu, "A Better Confidence Interval for Kappa on Measuring Agreement Between Two Raters With Binary Outcomes",
 * Journal of Computational and Graphical Statistics 3 (1994), for the interval from the agreement; Korn and Graubard (1998), see
 * `bounded-interval.ts`, for the number of items.
 */
function boundKappa(
  { n, observed, expected, stderr }: Readonly<Record<'n' | 'observed' | 'expected' | 'stderr', number>>,
  quantile: number,
): Interval {
  const share = Math.min(1, observed)
  const error = stderr * (1 - expected)
  const size = error > 1e-12 ? Math.min(n, (share * (1 - share)) / error ** 2) : n
  const [low, high] = wilson(share * size, size, quantile)
  return [Math.max(-1, (low - expected) / (1 - expected)), (high - expected) / (1 - expected)]
}

/** The agreement of two categories that are `distance` apart, from 0 to 1. */
function computeWeight(distance: number, longest: number, weights: KappaWeights): number {
  if (distance === 0) return 1
  if (weights === 'none') return 0
  return 1 - (distance / longest) ** (weights === 'linear' ? 1 : 2)
}

function countPairs(
  first: readonly Category[],
  second: readonly Category[],
  labels: readonly Category[],
): readonly (readonly number[])[] {
  if (first.length === 0 || first.length !== second.length)
    throw new PipelineError(
      'usage',
      `One rater rated ${first.length} items and the other ${second.length}. Both must rate the same items, at least one.`,
    )
  const places = new Map(labels.map((label, i) => [label, i]))
  const table = labels.map(() => labels.map(() => 0))
  first.forEach((category, item) => {
    const [i, j] = [places.get(category), places.get(second[item] ?? '')]
    const row = i === undefined ? undefined : table[i]
    if (row === undefined || j === undefined)
      throw new PipelineError(
        'usage',
        `Item ${item + 1} has the categories ${String(category)} and ${String(second[item])}, and the labels lack one of them.`,
      )
    row[j] = (row[j] ?? 0) + 1
  })
  return table
}

const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
