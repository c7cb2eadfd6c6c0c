/** Multiple comparisons with the best, where the best is chosen by its score. */
import { normalCdf, normalQuantile } from '../distributions/normal.js'

/** The paired comparison of a candidate with the one that has the best score. */
export interface ComparisonWithBest {
  /** The two-sided p value; absent if there is no test. */
  readonly p?: number | undefined
  /** Whether the candidate does worse on the docs that both have. */
  readonly isBelow: boolean
}

const level = 0.05

/**
 * Finds the candidates that are worse than the best. Among equal ones, some is called worse in at most 5 %, over all rows together.
 *
 * The best is the one that the draw favoured. Its distance to the lowest of K equal candidates is a range, so that each p is that of the
 * range of K normal values with the same p of a single pair (Tukey). Candidates found to be worse leave the row, and rows without further ones
 * leave the family (Holm). Hsu's intervals with a fixed control would not do: with several equal best candidates, they call some "not the best".
 *
 * Sources: Tukey, "The Problem of Multiple Comparisons" (1953); Hsu, "Multiple Comparisons" (1996), chapters 4 and 5; Romano and
 * Wolf, "Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing", JASA 100 (2005).
 *
 * @param rows the comparisons of each row, such as a metric of a task
 * @returns for each comparison, whether the candidate is worse
 */
export function findWorse(rows: readonly (readonly ComparisonWithBest[])[]): readonly (readonly boolean[])[] {
  const found = rows.map(row => row.map(() => false))
  const orders = rows.map(row =>
    row.map(({ p = 1, isBelow }, at) => ({ at, p: isBelow ? p : 1 })).sort((first, second) => first.p - second.p),
  )
  for (let isDone = false; !isDone;) {
    isDone = true
    const open = orders.filter(order => order.length > 0).length
    for (const [row, order] of orders.entries()) {
      const [next] = order
      // The best one itself and the remaining candidates.
      if (next === undefined || open * computeRangeP(next.p, order.length + 1) >= level) continue
      order.shift()
      const cells = found[row]
      if (cells !== undefined) cells[next.at] = true
      isDone = false
    }
  }
  return found
}

/**
 * Computes the probability that the range of `count` independent normal values is as large as a difference of two whose
 * two-sided p is `p`.
 *
 * Source: Pearson and Hartley, "Biometrika Tables for Statisticians" 1 (1954), for the distribution of the range.
 */
export function computeRangeP(p: number, count: number): number {
  if (count <= 2 || p >= 1) return p
  const pairs = (count * (count - 1)) / 2
  // The sum over all pairs is exact enough where the integral would lose its digits.
  if (pairs * p < 1e-6) return pairs * p
  const range = Math.SQRT2 * -normalQuantile(p / 2)
  // Simpson's rule over the lowest value.
  const [from, steps] = [-8.5, 400]
  const width = (2 * -from) / steps
  let sum = 0
  for (let step = 0; step <= steps; step++) {
    const lowest = from + step * width
    const density = Math.exp((-lowest * lowest) / 2) / Math.sqrt(2 * Math.PI)
    const factor = step === 0 || step === steps ? 1 : step % 2 === 1 ? 4 : 2
    sum += factor * density * (normalCdf(lowest + range) - normalCdf(lowest)) ** (count - 1)
  }
  return Math.min(1, pairs * p, Math.max(0, 1 - (count * sum * width) / 3))
}
