import { binomialPmf } from '../distributions/binomial.js'
import type { Interval } from './interval.js'

/**
 * Computes the exact probability that an interval covers the share `p`: the sum over all numbers of successes in `n`
 * trials whose interval holds `p`.
 */
export function computeCoverage(n: number, p: number, computeInterval: (successes: number) => Interval): number {
  let covered = 0
  for (let successes = 0; successes <= n; successes++) {
    const [low, high] = computeInterval(successes)
    if (low <= p && p <= high) covered += binomialPmf(successes, n, p)
  }
  return covered
}
