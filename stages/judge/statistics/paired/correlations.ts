/** Correlations of two lists of values of the same docs, in [−1, 1]. All are undefined if a list has no spread. */
import { sumTerms } from '../intervals/mean.js'
import { rankValues } from './ranks.js'

/** Computes Pearson's correlation of the values. */
export function computePearson(a: ArrayLike<number>, b: ArrayLike<number>): number | undefined {
  const n = a.length
  const meanA = sumTerms(n, i => a[i] ?? 0) / n
  const meanB = sumTerms(n, i => b[i] ?? 0) / n
  const sum = (x: ArrayLike<number>, meanX: number, y: ArrayLike<number>, meanY: number): number =>
    sumTerms(n, i => ((x[i] ?? 0) - meanX) * ((y[i] ?? 0) - meanY))
  const spread = Math.sqrt(sum(a, meanA, a, meanA)) * Math.sqrt(sum(b, meanB, b, meanB))
  return spread > 0 ? Math.min(1, Math.max(-1, sum(a, meanA, b, meanB) / spread)) : undefined
}

/** Computes Spearman's correlation: Pearson's of the ranks, with mean ranks for equal values. */
export const computeSpearman = (a: ArrayLike<number>, b: ArrayLike<number>): number | undefined =>
  computePearson(rankValues(a).ranks, rankValues(b).ranks)

/** The pairs of docs, by how two lists order them. */
export interface PairCounts {
  readonly pairs: number
  /** The pairs with one value in the first list. */
  readonly tiedA: number
  readonly tiedB: number
  /** The pairs that the two lists order differently. */
  readonly discordant: number
  /** The pairs that both lists order alike minus the discordant ones. */
  readonly balance: number
}

/**
 * Counts pairs of docs in O(n log n).
 *
 * Source: Knight, "A Computer Method for Calculating Kendall's Tau with Ungrouped Data", JASA 61 (1966).
 */
export function countDocPairs(a: ArrayLike<number>, b: ArrayLike<number>): PairCounts {
  const n = a.length
  const order = Uint32Array.from({ length: n }, (_, at) => at).sort(
    (left, right) => (a[left] ?? 0) - (a[right] ?? 0) || (b[left] ?? 0) - (b[right] ?? 0),
  )
  const pairs = (n * (n - 1)) / 2
  const tiedA = countPairsWithin(rankValues(a).ties)
  const tiedB = countPairsWithin(rankValues(b).ties)
  const tiedBoth = countPairsWithin(countRuns(order, a, b))
  const discordant = countInversions(Float64Array.from(order, at => b[at] ?? 0))
  return { pairs, tiedA, tiedB, discordant, balance: pairs - tiedA - tiedB + tiedBoth - 2 * discordant }
}

/** Computes Kendall's τ-b, which allows for ties. Source: Kendall, "Rank Correlation Methods" (1970). */
export function computeKendall(a: ArrayLike<number>, b: ArrayLike<number>): number | undefined {
  const { pairs, tiedA, tiedB, balance } = countDocPairs(a, b)
  const spread = Math.sqrt(pairs - tiedA) * Math.sqrt(pairs - tiedB)
  return spread === 0 ? undefined : Math.min(1, Math.max(-1, balance / spread))
}

const countPairsWithin = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0)

/** Counts how many docs in a row have the same two values. */
function countRuns(order: Uint32Array, a: ArrayLike<number>, b: ArrayLike<number>): readonly number[] {
  const runs: number[] = []
  let before: number | undefined
  for (const at of order) {
    if (before !== undefined && a[before] === a[at] && b[before] === b[at]) runs.push((runs.pop() ?? 0) + 1)
    else runs.push(1)
    before = at
  }
  return runs
}

/** Counts the pairs in the wrong order while it merges sorted halves. It sorts the values in place. */
function countInversions(values: Float64Array): number {
  let inversions = 0
  let from = values
  let into: Float64Array = new Float64Array(values.length)
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) {
      const [middle, end] = [Math.min(start + width, values.length), Math.min(start + 2 * width, values.length)]
      let [left, right] = [start, middle]
      for (let at = start; at < end; at++) {
        const takesRight = left === middle || (right < end && (from[right] ?? 0) < (from[left] ?? 0))
        if (takesRight) inversions += middle - left
        into[at] = from[takesRight ? right++ : left++] ?? 0
      }
    }
    ;[from, into] = [into, from]
  }
  return inversions
}
