/** Tests of 0/1 scores of two models on the same docs. */
import { binomialPmf } from '../distributions/binomial.js'
import { incompleteBeta } from '../distributions/beta.js'
import { chiSquaredSf } from '../distributions/chi-squared.js'

/** The numbers of docs that both models got right, only b, only a, and neither. */
export interface PairCounts {
  readonly both: number
  readonly onlyB: number
  readonly onlyA: number
  readonly neither: number
}

/** Counts the pairs of 0/1 scores; undefined for other scores. */
export function countPairs(a: ArrayLike<number>, b: ArrayLike<number>): PairCounts | undefined {
  const counts = { both: 0, onlyB: 0, onlyA: 0, neither: 0 }
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a[i], b[i]]
    if (!isBit(left) || !isBit(right)) return undefined
    counts[left === 1 ? (right === 1 ? 'both' : 'onlyA') : right === 1 ? 'onlyB' : 'neither'] += 1
  }
  return counts
}

const isBit = (value: number | undefined): boolean => value === 0 || value === 1

/**
 * Computes McNemar's exact two-sided p, for the docs that only one of two models got right. It is twice the binomial tail
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
 * Computes McNemar's mid-p: the exact p without half of the probability of the observed count. It keeps 5 % closely,
 * where the exact test stays far below it.
 *
 * Source: Fagerland, Lydersen and Laake, "The McNemar test for binary matched-pairs data: mid-p and asymptotic are
 * better than exact conditional", BMC Medical Research Methodology 13 (2013).
 */
export function mcnemarMidP(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB
  if (n === 0) return 1
  const point = binomialPmf(Math.min(onlyA, onlyB), n, 0.5)
  return onlyA === onlyB ? 1 - point / 2 : mcnemar(onlyA, onlyB) - point
}

/** McNemar's χ² with one degree of freedom. */
export interface ChiSquaredTest {
  readonly chiSquared: number
  readonly p: number
}

/**
 * Computes McNemar's χ² test for many pairs that differ; undefined if none does. `isCorrected` applies the correction
 * for continuity.
 *
 * Source: McNemar, Psychometrika 12 (1947); Edwards, Psychometrika 13 (1948), for the correction.
 */
export function mcnemarChiSquared(
  onlyA: number,
  onlyB: number,
  { isCorrected }: { readonly isCorrected: boolean },
): ChiSquaredTest | undefined {
  const n = onlyA + onlyB
  if (n === 0) return undefined
  const distance = Math.max(0, Math.abs(onlyA - onlyB) - (isCorrected ? 1 : 0))
  const chiSquared = (distance * distance) / n
  return { chiSquared, p: chiSquaredSf(chiSquared, 1) }
}

/**
 * Runs the sign test of differences: `sign` is half of the excess of positive over negative ones, `p` the exact
 * two-sided p. Differences of 0 are left out.
 */
export function signTest(differences: ArrayLike<number>): { readonly sign: number; readonly p: number } {
  let [positive, negative] = [0, 0]
  for (let i = 0; i < differences.length; i++) {
    const difference = differences[i] ?? 0
    if (difference > 0) positive += 1
    else if (difference < 0) negative += 1
  }
  return { sign: (positive - negative) / 2, p: mcnemar(negative, positive) }
}
