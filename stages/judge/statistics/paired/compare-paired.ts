import { normalQuantile } from '../distributions/normal.js'
import type { Interval } from '../intervals/interval.js'
import { estimateMean } from '../intervals/mean.js'
import { testDifference, type DifferenceTest, type NoDifferenceTest } from './difference-test.js'
import { countPairs, mcnemar } from './mcnemar.js'
import { pairedDifference, type PairedDifference } from './paired-difference.js'

/** One doc that has a value from both models. */
interface Pair {
  readonly id: string
  readonly a: number
  readonly b: number
  /** The cluster, such as an image or a passage. Docs of one cluster depend on each other. */
  readonly cluster?: string
}

export type ComparisonVerdict = 'better' | 'worse' | 'equivalent' | 'undecided' | 'same'

export interface PairedComparison {
  readonly n: number
  /** The means of both models. */
  readonly a: number
  readonly b: number
  /** The difference b − a. */
  readonly difference: number
  readonly higherIsBetter: boolean
  /** The standard error of the difference, cluster-robust with clusters. Absent with too few pairs or clusters. */
  readonly stderr?: number
  /** The 95 % interval, within [−1, 1] for 0/1 scores. */
  readonly interval?: Interval
  /** The reason why there is no interval. */
  readonly noInterval?: NoDifferenceTest['none']
  /** The p value of the exact McNemar test, if all values are 0 or 1. It ignores clusters, and no verdict uses it. */
  readonly mcnemar?: number
  /**
   * The p value of the verdict: the score test's for 0/1 values, which Tango's interval inverts, else Student's. If all docs or
   * clusters differ by the same amount, it is that of the sign test. Absent with too few pairs or clusters.
   */
  readonly p?: number
  /** If a margin was given: it, and the p value that the difference lies within it either way. */
  readonly equivalence?: { readonly margin: number; readonly p: number }
  /** The docs on which b does better than a; `worsened` are those on which it does worse. */
  readonly improved: readonly string[]
  readonly worsened: readonly string[]
  /**
   * The verdict on b. It is `same` if no doc differs. `equivalent` needs a margin and p < 0.05 of the equivalence.
   * `better` and `worse` need p < 0.05, which holds if the interval is on one side of 0. All else is `undecided`.
   */
  readonly verdict: ComparisonVerdict
  /** If undecided: the number of docs that would decide with 80 % power, if the difference is what was found. */
  readonly docsToDecide?: number
}

/**
 * Compares two models on the docs that both answered. Clusters are used if every pair names one and at least two
 * pairs share one.
 *
 * @param higherIsBetter the metric's direction
 * @param margin a difference that does not matter, in units of the score
 */
export function comparePaired({
  pairs,
  higherIsBetter = true,
  margin,
}: {
  readonly pairs: readonly Pair[]
  readonly higherIsBetter?: boolean
  readonly margin?: number | undefined
}): PairedComparison {
  const a = Float64Array.from(pairs, pair => pair.a)
  const b = Float64Array.from(pairs, pair => pair.b)
  const clusters = listClusters(pairs)
  const pairedTest = pairedDifference(a, b, clusters)
  const test = 'none' in pairedTest ? undefined : pairedTest
  const sign = higherIsBetter ? 1 : -1
  const improved = pairs.filter(pair => sign * (pair.b - pair.a) > 0).map(pair => pair.id)
  const worsened = pairs.filter(pair => sign * (pair.b - pair.a) < 0).map(pair => pair.id)
  const counts = countPairs(a, b)
  const exact = counts === undefined ? undefined : mcnemar(worsened.length, improved.length)
  const kind = { isBinary: counts !== undefined, isClustered: clusters !== undefined, scale: findSpan(a, b) }
  const said = test === undefined ? findMissing(clusters) : testDifference(test, kind)
  const known = 'none' in said ? undefined : said
  const p = known === undefined ? testSigns(test, said, clusters) : known.p
  const equivalence =
    margin === undefined || known === undefined ? undefined : { margin, p: known.computeEquivalence(margin) }
  const difference = test?.difference ?? mean(b) - mean(a)
  const verdict = decideVerdict({
    isSame: improved.length + worsened.length === 0,
    equivalenceP: equivalence?.p,
    p,
    gain: sign * difference,
  })
  const isOpen = verdict === 'undecided' && known !== undefined
  const needed = isOpen && test !== undefined ? docsToDecide(independentTest(test), { margin }) : undefined
  return {
    n: pairs.length,
    a: mean(a),
    b: mean(b),
    difference,
    higherIsBetter,
    ...(test !== undefined && { stderr: test.stderr }),
    ...('none' in said ? { noInterval: said.none } : { interval: said.interval }),
    ...(exact !== undefined && { mcnemar: exact }),
    ...(p !== undefined && { p }),
    ...(equivalence && { equivalence }),
    improved,
    worsened,
    verdict,
    ...(needed !== undefined && { docsToDecide: needed }),
  }
}

const findMissing = (clusters: readonly string[] | undefined): NoDifferenceTest => ({
  none: clusters === undefined ? 'one pair' : 'too few clusters',
})

/** The p value of the sign test over docs or clusters that all differ by the same, so that the error of the difference is not known. */
function testSigns(
  test: PairedDifference | undefined,
  said: DifferenceTest | NoDifferenceTest,
  clusters: readonly string[] | undefined,
): number | undefined {
  if (test === undefined || !('none' in said) || said.none !== 'all differences are equal') return undefined
  if (test.difference === 0) return 1
  return Math.min(1, 2 ** (1 - (clusters === undefined ? test.n : new Set(clusters).size)))
}

/** The distance of the lowest and the highest score, which a doc's difference can have. It is 0 if it is beyond the largest number. */
function findSpan(a: Float64Array, b: Float64Array): number {
  let [low, high] = [Infinity, -Infinity]
  for (const values of [a, b])
    for (const value of values) {
      low = Math.min(low, value)
      high = Math.max(high, value)
    }
  const span = Math.max(0, high - low)
  return Number.isFinite(span) ? span : 0
}

/** With clusters, the deviation of independent docs that would give the same standard error. */
const independentTest = ({ n, difference, stderr }: PairedDifference) => ({
  difference,
  deviation: stderr * Math.sqrt(n),
})

/**
 * Decides the verdict by the p values, which may be adjusted for further comparisons.
 *
 * @param gain the difference, positive if b is better
 */
export function decideVerdict({
  isSame,
  equivalenceP = 1,
  p = 1,
  gain,
}: {
  readonly isSame: boolean
  readonly equivalenceP?: number | undefined
  readonly p?: number | undefined
  readonly gain: number
}): ComparisonVerdict {
  if (isSame) return 'same'
  if (equivalenceP < 0.05) return 'equivalent'
  if (p >= 0.05) return 'undecided'
  return gain > 0 ? 'better' : 'worse'
}

/** Returns the cluster of each pair. Undefined unless every pair names one and at least two pairs share one. */
export function listClusters(pairs: readonly Pair[]): readonly string[] | undefined {
  const clusters = pairs.flatMap(pair => (pair.cluster === undefined ? [] : [pair.cluster]))
  const shared = new Set(clusters).size < clusters.length
  return shared && clusters.length === pairs.length ? clusters : undefined
}

const mean = (values: Float64Array): number => estimateMean(values)?.mean ?? Number.NaN

/**
 * The number of docs that would decide with `power`, if the difference is what was found: the fewer of those that show it in a paired
 * two-sided test at `alpha`, and, with a margin, of those that show that it lies within the margin. `deviation` is the standard
 * deviation of the docs' differences. Undefined if no number of docs would decide.
 *
 * n = ((z₁₋α⸝₂ + z_power) · deviation / difference)², rounded up; for a margin ((z₁₋α + z_power) · deviation / (margin − |difference|))²,
 * with z of (1 + power)/2 in place of z_power if the difference is 0, because both tests must then succeed.
 * Sources: the normal approximation, for example Miller, "Adding Error Bars to Evals" (2024), equation 9; Chow, Shao and Wang,
 * "Sample Size Calculations in Clinical Research" (2008), chapter 3.
 */
export function docsToDecide(
  { difference, deviation }: { readonly difference: number; readonly deviation: number },
  {
    alpha = 0.05,
    power = 0.8,
    margin,
  }: { readonly alpha?: number; readonly power?: number; readonly margin?: number | undefined } = {},
): number | undefined {
  if (deviation === 0) return undefined
  const countDocs = (quantile: number, reach: number): number => Math.ceil(((quantile * deviation) / reach) ** 2)
  const counts = difference === 0 ? [] : [countDocs(normalQuantile(1 - alpha / 2) + normalQuantile(power), difference)]
  const rest = margin === undefined ? 0 : margin - Math.abs(difference)
  if (rest > 0) {
    const likely = difference === 0 ? (1 + power) / 2 : power
    counts.push(countDocs(normalQuantile(1 - alpha) + normalQuantile(likely), rest))
  }
  return counts.length === 0 ? undefined : Math.min(...counts)
}
