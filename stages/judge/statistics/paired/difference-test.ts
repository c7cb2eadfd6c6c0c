import { incompleteBeta } from '../distributions/beta.js'
import { normalCdf } from '../distributions/normal.js'
import { tQuantile, tSf } from '../distributions/student-t.js'
import { hasSpread, hasTooFewClusters } from '../intervals/bounded-interval.js'
import type { Interval } from '../intervals/interval.js'
import { clopperPearson, z95 } from '../intervals/proportions.js'
import type { PairedDifference } from './paired-difference.js'
import { testEquivalence } from './equivalence.js'
import { scoreInterval, scoreStatistic } from './tango.js'

/** The interval, p and equivalence of a difference. They come from one test, so that they cannot contradict each other. */
export interface DifferenceTest {
  /** The 95 % interval: all differences that the test does not reject. */
  readonly interval: Interval
  /** The two-sided p of no difference. It is below 0.05 if the interval does not hold 0. */
  readonly p: number
  /** Computes the p that the difference lies within ±margin, by two one-sided tests. */
  computeEquivalence(margin: number): number
}

/** The reason why a difference has no interval. */
export interface NoDifferenceTest {
  readonly none: 'too few clusters' | 'all differences are equal' | 'one pair'
}

interface DifferenceKind {
  /** Whether both scores are 0 or 1. */
  readonly isBinary: boolean
  readonly isClustered: boolean
  /** The largest difference that a doc can have, which stands for unseen ones if no doc differs. */
  readonly scale?: number | undefined
}

/**
 * Tests a difference. Scores of 0 and 1 have Tango's score test, on the effective number of pairs and with the tail of Student's t if
 * docs have clusters. Other scores have Student's test, whose ends are at least those of rare differences: {@link boundRare}.
 */
export function testDifference(
  difference: PairedDifference,
  { isBinary, isClustered, scale = 0 }: DifferenceKind,
): DifferenceTest | NoDifferenceTest {
  if (isClustered && hasTooFewClusters(difference.df)) return { none: 'too few clusters' }
  const docs = countEffectivePairs(difference)
  const df = isClustered ? difference.df : undefined
  if (isBinary) return testShares(difference, { docs, scale: 1, df })
  const { difference: mean, stderr, gained, lost } = difference
  if (gained === 0 && lost === 0 && scale > 0) return testShares(difference, { docs, scale, df })
  return hasSpread({ mean, stderr }) ? testValues(difference, docs) : { none: 'all differences are equal' }
}

/**
 * The number of independent pairs that would tell as much: the variance of independent pairs over the observed one, and at most n. Where all
 * pairs are alike the variance is not known, and each cluster counts as one pair.
 */
function countEffectivePairs({ n, difference, deviation, stderr, parts }: PairedDifference): number {
  if (!hasSpread({ mean: difference, stderr: deviation })) return parts
  return stderr === 0 ? n : Math.min(n, (deviation / stderr) ** 2)
}

interface EffectivePairs {
  readonly docs: number
  readonly scale: number
  /** Absent for independent docs, which have the normal tail. */
  readonly df: number | undefined
}

function testShares({ n, gained, lost }: PairedDifference, { docs, scale, df }: EffectivePairs): DifferenceTest {
  const weight = docs / n / scale
  const counts = { n: docs, onlyA: lost * weight, onlyB: gained * weight }
  const tail = (z: number): number => (df === undefined ? normalCdf(-z) : tSf(z, df))
  const [low, high] = scoreInterval(counts, df === undefined ? z95 : tQuantile(0.975, df))
  return {
    interval: [scale * low, scale * high],
    p: Math.min(1, 2 * tail(Math.abs(scoreStatistic(counts)))),
    computeEquivalence: margin =>
      Math.max(
        tail(scoreStatistic(counts, -margin / scale)),
        tail(-scoreStatistic(counts, margin / scale)),
        ...boundRare(counts, margin / scale),
      ),
  }
}

function testValues(difference: PairedDifference, docs: number): DifferenceTest {
  const { n, difference: mean, stderr, df, size, gained, lost, interval } = difference
  const weight = docs / n / size
  const counts = { n: docs, onlyA: lost * weight, onlyB: gained * weight }
  const reach = (net: number): number => size * clopperPearson(Math.min(docs, Math.max(0, net)), docs)[1]
  const [low, high] = interval
  return {
    interval: [
      low < 0 ? Math.min(low, -reach(counts.onlyA - counts.onlyB)) : low,
      high > 0 ? Math.max(high, reach(counts.onlyB - counts.onlyA)) : high,
    ],
    p: difference.p,
    computeEquivalence: margin =>
      Math.max(testEquivalence({ mean, stderr, df }, margin).p, ...boundRare(counts, margin / size)),
  }
}

/**
 * Computes the exact probabilities of at most so many net losses, or gains, if a share `margin` of the pairs is lost, or gained, and nothing else
 * differs. Tests that estimate a variance reject this case too often: with 0 of 25 pairs and a margin of 0.1 the score test is wrong in 7.2 %, and
 * Student's test takes a difference that one doc in 100 shows as known.
 */
function boundRare(
  { n, onlyA, onlyB }: { readonly n: number; readonly onlyA: number; readonly onlyB: number },
  margin: number,
): readonly [number, number] {
  const computeBound = (net: number): number => {
    const seen = Math.max(0, net)
    if (margin >= 1) return 0
    return seen >= n ? 1 : incompleteBeta(n - seen, seen + 1, 1 - margin, margin)
  }
  return [computeBound(onlyA - onlyB), computeBound(onlyB - onlyA)]
}
