import { effectiveSize, hasSpread, hasTooFewClusters } from '../intervals/bounded-interval.js'
import type { Interval } from '../intervals/interval.js'
import { wilson } from '../intervals/proportions.js'
import type { PairCounts } from './mcnemar.js'
import type { PairedDifference } from './paired-difference.js'

/** The interval of a difference, or the reason why there is none. */
export type DifferenceInterval =
  { readonly interval: Interval } | { readonly none: 'too few clusters' | 'all differences are equal' | 'one pair' }

/**
 * Selects Student's interval, if it has a width and, for 0/1 scores, lies within [−1, 1]. Other 0/1 scores get Newcombe's
 * interval on the effective sample size.
 */
export function differenceInterval(
  test: PairedDifference,
  counts: PairCounts | undefined,
  { isClustered }: { readonly isClustered: boolean },
): DifferenceInterval {
  if (isClustered && hasTooFewClusters(test.df)) return { none: 'too few clusters' }
  const [low, high] = test.interval
  const hasWidth = hasSpread({ mean: test.difference, stderr: test.stderr })
  if (hasWidth && (counts === undefined || (low >= -1 && high <= 1))) return { interval: test.interval }
  if (counts === undefined) return { none: 'all differences are equal' }
  const { n, difference, deviation, stderr, df, parts } = test
  const size = effectiveSize({ n, mean: difference, stderr, df, parts }, { variance: deviation ** 2 })
  return { interval: newcombe(counts, size / n) }
}

/**
 * Computes the interval of the difference b − a of two paired shares, within [−1, 1]. Each pair counts as `weight` docs.
 *
 * Source: Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
 * data", Statistics in Medicine 17 (1998), method 10.
 */
function newcombe({ both, onlyB, onlyA, neither }: PairCounts, weight = 1): Interval {
  const n = weight * (both + onlyB + onlyA + neither)
  const [hitsB, hitsA] = [weight * (both + onlyB), weight * (both + onlyA)]
  const [shareB, shareA] = [hitsB / n, hitsA / n]
  const [[lowB, highB], [lowA, highA]] = [wilson(hitsB, n), wilson(hitsA, n)]
  const phi = correlation({ both, onlyB, onlyA, neither }, weight)
  const reach = (below: number, above: number): number =>
    Math.sqrt(Math.max(0, below * below - 2 * phi * below * above + above * above))
  const difference = shareB - shareA
  return [difference - reach(shareB - lowB, highA - shareA), difference + reach(highB - shareB, shareA - lowA)]
}

/**
 * The correlation of the two scores, with Newcombe's correction for continuity if it is positive. It is 0 if one of
 * the scores is constant.
 */
function correlation({ both, onlyB, onlyA, neither }: PairCounts, weight: number): number {
  const n = weight * (both + onlyB + onlyA + neither)
  const margins = (both + onlyB) * (onlyA + neither) * (both + onlyA) * (onlyB + neither) * weight ** 4
  if (margins === 0) return 0
  const product = weight * weight * (both * neither - onlyB * onlyA)
  return (product > 0 ? Math.max(product - n / 2, 0) : product) / Math.sqrt(margins)
}
