import { PipelineError } from '../../../../base/errors/errors.js'
import { estimateMean } from '../intervals/mean.js'
import { fSf } from '../distributions/fisher-f.js'

/**
 * The forms of the intraclass correlation. 1: each item has raters of its own. A: absolute agreement of the same raters.
 * C: consistency of the same raters, whatever their offsets. The second part is a single rating, or the mean of all k.
 */
export type IntraclassForm = 'ICC(1,1)' | 'ICC(A,1)' | 'ICC(C,1)' | 'ICC(1,k)' | 'ICC(A,k)' | 'ICC(C,k)'

/** An intraclass correlation with the F test that it is 0. */
export interface IntraclassCorrelation {
  readonly icc: number
  readonly f: number
  readonly dfBetween: number
  readonly dfWithin: number
  readonly p: number
}

/**
 * Computes the six intraclass correlations of ratings: one list for each item, one place in it for each rater.
 *
 * Sources: Shrout & Fleiss, Psychological Bulletin 86 (1979); McGraw & Wong, Psychological Methods 1 (1996).
 *
 * @throws PipelineError with fewer than two items or raters, a missing rating, or equal ratings
 */
export function computeIntraclass(
  ratings: readonly (readonly number[])[],
): Readonly<Record<IntraclassForm, IntraclassCorrelation>> {
  const [n, k] = [ratings.length, ratings[0]?.length ?? 0]
  if (n < 2 || k < 2)
    throw new PipelineError(
      'usage',
      `There are ${n} items and ${k} raters. An intraclass correlation needs at least two of each.`,
    )
  if (ratings.some(item => item.length !== k || !item.every(Number.isFinite)))
    throw new PipelineError('usage', 'An intraclass correlation needs a number from each rater for each item.')
  const { items, raters, within, rest } = computeMeanSquares(ratings)
  if (items === 0 && within === 0)
    throw new PipelineError('usage', 'All ratings are equal, so that the intraclass correlation is undefined.')
  const test = (denominator: number, dfWithin: number): Omit<IntraclassCorrelation, 'icc'> => {
    const f = items / denominator
    return { f, dfBetween: n - 1, dfWithin, p: fSf(f, n - 1, dfWithin) }
  }
  const oneWay = test(within, n * (k - 1))
  const twoWay = test(rest, (n - 1) * (k - 1))
  const offsets = (raters - rest) / n
  return {
    'ICC(1,1)': { icc: (items - within) / (items + (k - 1) * within), ...oneWay },
    'ICC(A,1)': { icc: (items - rest) / (items + (k - 1) * rest + k * offsets), ...twoWay },
    'ICC(C,1)': { icc: (items - rest) / (items + (k - 1) * rest), ...twoWay },
    'ICC(1,k)': { icc: (items - within) / items, ...oneWay },
    'ICC(A,k)': { icc: (items - rest) / (items + offsets), ...twoWay },
    'ICC(C,k)': { icc: (items - rest) / items, ...twoWay },
  }
}

/** The mean squares of the two-way analysis of variance: of items, of raters, within items, and the rest. */
function computeMeanSquares(ratings: readonly (readonly number[])[]): {
  readonly items: number
  readonly raters: number
  readonly within: number
  readonly rest: number
} {
  const [n, k] = [ratings.length, ratings[0]?.length ?? 0]
  const average = (values: readonly number[]): number => estimateMean(values)?.mean ?? 0
  const mean = average(ratings.flat())
  const itemMeans = ratings.map(average)
  const raterMeans = Array.from({ length: k }, (_, j) => average(ratings.map(item => item[j] ?? 0)))
  let [items, raters, within, rest] = [0, 0, 0, 0]
  for (const [i, item] of ratings.entries()) {
    const ofItem = itemMeans[i] ?? 0
    items += k * (ofItem - mean) ** 2
    for (const [j, value] of item.entries()) {
      within += (value - ofItem) ** 2
      rest += (value - ofItem - (raterMeans[j] ?? 0) + mean) ** 2
    }
  }
  for (const ofRater of raterMeans) raters += n * (ofRater - mean) ** 2
  return {
    items: items / (n - 1),
    raters: raters / (k - 1),
    within: within / (n * (k - 1)),
    rest: rest / ((n - 1) * (k - 1)),
  }
}
