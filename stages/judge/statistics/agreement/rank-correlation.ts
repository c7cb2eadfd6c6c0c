/** Correlations of two lists of scores of the same docs, with the p value that there is none. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { normalCdf } from '../distributions/normal.js'
import { tTwoSided } from '../distributions/student-t.js'
import { computePearson, computeSpearman, countDocPairs } from '../paired/correlations.js'
import { rankValues } from '../paired/ranks.js'

/** A correlation with the two-sided p value that there is none. */
export interface Correlation {
  /** From −1 to 1. */
  readonly r: number
  /** The p value by Student's t; null with fewer than three docs. */
  readonly p: number | null
}

/** Kendall's rank correlations. */
export interface KendallCorrelation {
  /** Tau-b, which allows for ties. */
  readonly tauB: number
  /** Tau-c, for lists with different numbers of values. */
  readonly tauC: number
  /** The two-sided p value by the normal approximation; null with fewer than three docs. */
  readonly p: number | null
  /** The exact two-sided p value. Null with ties, where it is not defined, or with more than `mostExact` docs. */
  readonly exactP: number | null
}

/** Above this number of docs the exact distribution of Kendall's tau is not computed; the normal one is as good. */
const mostExact = 400

/** Tests Pearson's correlation. Source: SciPy 1.17.1, `pearsonr`. @throws PipelineError if a list does not vary */
export function testPearson(x: readonly number[], y: readonly number[]): Correlation {
  checkLists(x, y)
  return testCoefficient(computePearson(x, y), x.length - 2)
}

/** Tests Spearman's rank correlation: Pearson's of the ranks, where equal values share their mean rank. Source: SciPy 1.17.1, `spearmanr`. */
export function testSpearman(x: readonly number[], y: readonly number[]): Correlation {
  checkLists(x, y)
  return testCoefficient(computeSpearman(x, y), x.length - 2)
}

const testCoefficient = (r = 0, df: number): Correlation => ({
  r,
  p: df < 1 ? null : tTwoSided(r * Math.sqrt(df / (1 - r * r)), df),
})

/**
 * Tests Kendall's tau-b and tau-c.
 *
 * Sources: Kendall, "Rank Correlation Methods" (1970), for tau-b and its variance with ties; Stuart, Biometrika 40
 * (1953), for tau-c; as in SciPy 1.17.1, `kendalltau`.
 */
export function testKendall(x: readonly number[], y: readonly number[]): KendallCorrelation {
  checkLists(x, y)
  const n = x.length
  const { pairs, tiedA, tiedB, discordant, balance } = countDocPairs(x, y)
  const [tiesX, tiesY] = [measureTies(x), measureTies(y)]
  const distinct = Math.min(new Set(x).size, new Set(y).size)
  const variance =
    (2 * pairs * (2 * n + 5) - tiesX.fives - tiesY.fives) / 18 +
    (tiedA * tiedB) / pairs +
    (n > 2 ? (tiesX.triples * tiesY.triples) / (18 * pairs * (n - 2)) : 0)
  const hasTies = tiedA > 0 || tiedB > 0
  return {
    tauB: balance / Math.sqrt(pairs - tiedA) / Math.sqrt(pairs - tiedB),
    tauC: (2 * balance * distinct) / (n * n * (distinct - 1)),
    p: n < 3 ? null : 2 * normalCdf(-Math.abs(balance) / Math.sqrt(variance)),
    exactP: hasTies || n > mostExact ? null : computeExactP(n, Math.min(discordant, pairs - discordant)),
  }
}

function measureTies(values: readonly number[]): { readonly triples: number; readonly fives: number } {
  const { ties } = rankValues(values)
  const add = (term: (count: number) => number): number => ties.reduce((sum, count) => sum + term(count), 0)
  return {
    triples: add(count => count * (count - 1) * (count - 2)),
    fives: add(count => count * (count - 1) * (2 * count + 5)),
  }
}

/** Twice the probability of at most `inversions` discordant pairs in a random order of n docs, and at most 1. */
function computeExactP(n: number, inversions: number): number {
  // chances[c]: the probability of c inversions in an order of the first docs. A doc more has 0 … size − 1 new ones.
  let chances = [1, ...Array.from({ length: inversions }, () => 0)]
  for (let size = 2; size <= n; size++) {
    let window = 0
    chances = chances.map((chance, c) => {
      window += chance - (chances[c - size] ?? 0)
      return Math.max(0, window) / size
    })
  }
  return Math.min(1, 2 * chances.reduce((sum, chance) => sum + chance, 0))
}

function checkLists(x: readonly number[], y: readonly number[]): void {
  if (x.length !== y.length || x.length < 2)
    throw new PipelineError(
      'usage',
      `There are ${x.length} and ${y.length} values. A correlation needs two lists of the same docs, at least two.`,
    )
  for (const [name, values] of [
    ['first', x],
    ['second', y],
  ] as const) {
    if (!values.every(Number.isFinite))
      throw new PipelineError('usage', `The ${name} list has a value that is no number.`)
    if (values.every(value => value === values[0]))
      throw new PipelineError(
        'usage',
        `The ${name} list has no variation: all values are ${values[0]}. A correlation is undefined.`,
      )
  }
}
