import { hasSpread } from './bounded-interval.js'
import { incompleteBeta, normalQuantile } from './distributions.js'
import {
  differenceInterval,
  pairedDifference,
  type DifferenceInterval,
  type PairCounts,
  type PairedDifference,
} from './paired.js'

/** One doc that has a value from both models. */
interface Pair {
  readonly id: string
  readonly a: number
  readonly b: number
  /** The cluster, such as an image or a passage. Docs of one cluster depend on each other. */
  readonly cluster?: string
}

export interface PairedComparison {
  readonly n: number
  /** The means of both models. */
  readonly a: number
  readonly b: number
  /** The difference b − a. */
  readonly difference: number
  /** The 95 % interval, within [−1, 1] for 0/1 scores. */
  readonly interval?: readonly [number, number]
  /** The reason why there is no interval. */
  readonly noInterval?: Extract<DifferenceInterval, { none: unknown }>['none']
  /** The p value of the exact McNemar test, if all values are 0 or 1. */
  readonly mcnemar?: number
  /**
   * The p value of the verdict: McNemar's for 0/1 values, else the paired t test's, or the clustered t test's with
   * clusters. If all docs or clusters differ by the same amount, it is that of the sign test. Absent with too few
   * pairs or clusters.
   */
  readonly p?: number
  /** The docs on which b does better than a; `worsened` are those on which it does worse. */
  readonly improved: readonly string[]
  readonly worsened: readonly string[]
  /**
   * The verdict on b. It is `same` if no doc differs. `better` and `worse` need p < 0.05 and an interval, if there
   * is one, on one side of 0. All else is `undecided`.
   */
  readonly verdict: 'better' | 'worse' | 'undecided' | 'same'
  /** If undecided: the number of docs that would show this difference with 80 % power. */
  readonly docsToDecide?: number
}

/**
 * Compares two models on the docs that both answered. Clusters are used if every pair names one and at least two
 * pairs share one.
 *
 * @param higherIsBetter the metric's direction
 */
export function comparePaired({
  pairs,
  higherIsBetter = true,
}: {
  readonly pairs: readonly Pair[]
  readonly higherIsBetter?: boolean
}): PairedComparison {
  const a = Float64Array.from(pairs, pair => pair.a)
  const b = Float64Array.from(pairs, pair => pair.b)
  const clusters = clustersOf(pairs)
  const test = pairedDifference(a, b, clusters)
  const sign = higherIsBetter ? 1 : -1
  const improved = pairs.filter(pair => sign * (pair.b - pair.a) > 0).map(pair => pair.id)
  const worsened = pairs.filter(pair => sign * (pair.b - pair.a) < 0).map(pair => pair.id)
  const counts = countsOf(pairs)
  const exact = counts === undefined ? undefined : mcnemar(worsened.length, improved.length)
  const said = intervalOf(test, counts, { isClustered: clusters !== undefined })
  const p = clusters === undefined && exact !== undefined ? exact : probabilityOf(test, said, clusters)
  const verdict = verdictOf({
    p,
    said,
    sign,
    difference: test?.difference ?? 0,
    differing: improved.length + worsened.length,
  })
  const isOpen = verdict === 'undecided' && !('none' in said)
  const needed = isOpen && test !== undefined ? docsToDecide(test) : undefined
  return {
    n: pairs.length,
    a: mean(a),
    b: mean(b),
    difference: test?.difference ?? mean(b) - mean(a),
    ...('none' in said ? { noInterval: said.none } : { interval: said.interval }),
    ...(exact !== undefined && { mcnemar: exact }),
    ...(p !== undefined && { p }),
    improved,
    worsened,
    verdict,
    ...(needed !== undefined && { docsToDecide: needed }),
  }
}

function intervalOf(
  test: PairedDifference | undefined,
  counts: PairCounts | undefined,
  { isClustered }: { readonly isClustered: boolean },
): DifferenceInterval {
  if (test === undefined) return { none: isClustered ? 'too few clusters' : 'one pair' }
  return differenceInterval(test, counts, { isClustered })
}

/** The p value of the t test. If the differences have no spread, the p value of the sign test over docs or clusters. */
function probabilityOf(
  test: PairedDifference | undefined,
  said: DifferenceInterval,
  clusters: readonly string[] | undefined,
): number | undefined {
  if (test === undefined || ('none' in said && said.none === 'too few clusters')) return undefined
  if (test.difference === 0 || hasSpread({ mean: test.difference, stderr: test.stderr })) return test.p
  return Math.min(1, 2 ** (1 - (clusters === undefined ? test.n : new Set(clusters).size)))
}

function verdictOf({
  p,
  said,
  sign,
  difference,
  differing,
}: {
  readonly p: number | undefined
  readonly said: DifferenceInterval
  readonly sign: number
  readonly difference: number
  readonly differing: number
}): PairedComparison['verdict'] {
  if (differing === 0) return 'same'
  if (p === undefined || p >= 0.05) return 'undecided'
  if ('interval' in said && said.interval[0] <= 0 && said.interval[1] >= 0) return 'undecided'
  return sign * difference > 0 ? 'better' : 'worse'
}

/** Counts the pairs of 0/1 scores; undefined for other scores. */
function countsOf(pairs: readonly Pair[]): PairCounts | undefined {
  if (!pairs.every(pair => isBit(pair.a) && isBit(pair.b))) return undefined
  const count = (a: number, b: number): number => pairs.filter(pair => pair.a === a && pair.b === b).length
  return { both: count(1, 1), onlyB: count(0, 1), onlyA: count(1, 0), neither: count(0, 0) }
}

function clustersOf(pairs: readonly Pair[]): readonly string[] | undefined {
  const clusters = pairs.flatMap(pair => (pair.cluster === undefined ? [] : [pair.cluster]))
  const shared = new Set(clusters).size < clusters.length
  return shared && clusters.length === pairs.length ? clusters : undefined
}

const isBit = (value: number): boolean => value === 0 || value === 1

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * McNemar's exact two-sided p, for the docs that only one of two models got right. It is twice the binomial tail
 * P(X ≤ min), X ~ B(onlyA + onlyB, ½), and at most 1. It is 1 if no doc differs.
 *
 * Source: McNemar, Psychometrika 12 (1947), in its exact form.
 */
export function mcnemar(onlyA: number, onlyB: number): number {
  const less = Math.min(onlyA, onlyB)
  const more = Math.max(onlyA, onlyB)
  if (less === more) return 1
  return Math.min(1, 2 * incompleteBeta(more, less + 1, 0.5, 0.5))
}

/**
 * The number of docs that would show the observed difference in a paired two-sided test at `alpha`, with `power`.
 * `deviation` is the standard deviation of the docs' differences. Undefined if the difference is 0.
 *
 * n = ((z₁₋α⸝₂ + z_power) · deviation / difference)², rounded up. Source: the normal approximation, for example
 * Miller, "Adding Error Bars to Evals" (2024), equation 9.
 */
export function docsToDecide(
  { difference, deviation }: { readonly difference: number; readonly deviation: number },
  { alpha, power }: { readonly alpha: number; readonly power: number } = { alpha: 0.05, power: 0.8 },
): number | undefined {
  if (difference === 0 || deviation === 0) return undefined
  const z = normalQuantile(1 - alpha / 2) + normalQuantile(power)
  return Math.ceil(((z * deviation) / difference) ** 2)
}
