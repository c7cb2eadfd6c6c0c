import { docsToDecide } from './docs-to-decide.js'
import { mcnemar } from './mcnemar.js'
import { pairedDifference, type PairedDifference } from './paired.js'

/** One doc that both models have a value for. */
export interface Pair {
  readonly id: string
  readonly a: number
  readonly b: number
  /** Docs that share it (a picture, a passage) are not independent of each other. */
  readonly cluster?: string
}

export interface PairedComparison {
  readonly n: number
  /** Means. */
  readonly a: number
  readonly b: number
  /** b − a. */
  readonly difference: number
  /** 95 %; absent where there are too few pairs or clusters. */
  readonly interval?: readonly [number, number]
  /** Of the exact McNemar test, where all values are 0 or 1. */
  readonly mcnemar?: number
  /** The one that the verdict rests on: McNemar's for 0/1 values, else the paired t's; with clusters the clustered t's. */
  readonly p?: number
  /** Docs on which b does better than a, and worse. */
  readonly improved: readonly string[]
  readonly worsened: readonly string[]
  /**
   * `same`: no doc differs. `better`, `worse`: of b; p < 0.05 and the interval is on one side of 0. Else `undecided`.
   */
  readonly verdict: 'better' | 'worse' | 'undecided' | 'same'
  /** Where undecided: how many docs would show this difference with 80 % power. */
  readonly docsToDecide?: number
}

/**
 * Compares two models on the docs that both have answered. Clusters count where every pair names its own and two pairs
 * share one. `higherIsBetter` is the metric's direction, true where not given.
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
  const binary = pairs.every(pair => isBit(pair.a) && isBit(pair.b))
  const exact = binary ? mcnemar(worsened.length, improved.length) : undefined
  const p = clusters === undefined ? (exact ?? test?.p) : test?.p
  const verdict = verdictOf({ p, test, sign, differing: improved.length + worsened.length })
  const needed = verdict === 'undecided' && test !== undefined ? docsToDecide(test) : undefined
  return {
    n: pairs.length,
    a: mean(a),
    b: mean(b),
    difference: test?.difference ?? mean(b) - mean(a),
    ...(test && { interval: test.interval }),
    ...(exact !== undefined && { mcnemar: exact }),
    ...(p !== undefined && { p }),
    improved,
    worsened,
    verdict,
    ...(needed !== undefined && { docsToDecide: needed }),
  }
}

function verdictOf({
  p,
  test,
  sign,
  differing,
}: {
  readonly p: number | undefined
  readonly test: PairedDifference | undefined
  readonly sign: number
  readonly differing: number
}): PairedComparison['verdict'] {
  if (differing === 0) return 'same'
  if (p === undefined || test === undefined || p >= 0.05) return 'undecided'
  const [low, high] = test.interval
  if (low <= 0 && high >= 0) return 'undecided'
  return sign * test.difference > 0 ? 'better' : 'worse'
}

function clustersOf(pairs: readonly Pair[]): readonly string[] | undefined {
  const clusters = pairs.flatMap(pair => (pair.cluster === undefined ? [] : [pair.cluster]))
  const shared = new Set(clusters).size < clusters.length
  return shared && clusters.length === pairs.length ? clusters : undefined
}

const isBit = (value: number): boolean => value === 0 || value === 1

const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length
