/** The score test and interval of the difference of two paired shares. */
import { normalCdf } from '../distributions/normal.js'
import type { Interval } from '../intervals/interval.js'
import { z95 } from '../intervals/proportions.js'

/** Pairs of 0/1 scores: their number, and those that only a or only b got right. Effective numbers need not be whole. */
export interface PairedCounts {
  readonly n: number
  readonly onlyA: number
  readonly onlyB: number
}

/**
 * Computes the score statistic of the hypothesis that the difference b − a of two paired shares is `delta`: positive if more
 * was observed. Its variance is that under the hypothesis, so it also exists if no pair differs. For `delta` = 0 its square is
 * McNemar's χ² without correction.
 *
 * Source: Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
 * design", Statistics in Medicine 17 (1998).
 */
export function scoreStatistic({ n, onlyA, onlyB }: PairedCounts, delta = 0): number {
  const excess = onlyB - onlyA - n * delta
  if (Math.abs(excess) <= 1e-12 * n) return 0
  if (Math.abs(delta) >= 1) return Math.sign(excess) * Infinity
  // The share of pairs that only a gets right has its maximum likelihood under the hypothesis at a root of 2n·q² + linear·q + last.
  const linear = (2 * n - onlyB + onlyA) * delta - onlyA - onlyB
  const last = -onlyA * delta * (1 - delta)
  const root = Math.sqrt(Math.max(0, linear * linear - 8 * n * last))
  const share = linear <= 0 ? (root - linear) / (4 * n) : (-2 * last) / (linear + root)
  const variance = n * (2 * share + delta * (1 - delta))
  return variance > 0 ? excess / Math.sqrt(variance) : Math.sign(excess) * Infinity
}

/**
 * Computes the interval of all differences that the score test does not reject. It lies within [−1, 1] and always has a width.
 *
 * @param quantile the quantile of the statistic @default 1.96, for 95 %
 */
export function scoreInterval(counts: PairedCounts, quantile: number = z95): Interval {
  const { n, onlyA, onlyB } = counts
  const difference = (onlyB - onlyA) / n
  return [
    findEnd(-1, difference, delta => scoreStatistic(counts, delta) > quantile),
    findEnd(1, difference, delta => scoreStatistic(counts, delta) < -quantile),
  ]
}

/** Computes the two-sided p of the score test that two paired shares are equal; 1 if no pair differs. */
export const testScore = (counts: PairedCounts): number => Math.min(1, 2 * normalCdf(-Math.abs(scoreStatistic(counts))))

/** Bisects between a rejected and an accepted difference, until no number lies between them. */
function findEnd(outside: number, inside: number, isRejected: (delta: number) => boolean): number {
  if (!isRejected(outside)) return outside
  let [rejected, accepted] = [outside, inside]
  for (;;) {
    const middle = (rejected + accepted) / 2
    if (middle === rejected || middle === accepted) return accepted
    if (isRejected(middle)) rejected = middle
    else accepted = middle
  }
}
