/** Intervals of a share: `successes` in `n` trials. */
import { betaQuantile, betaUpperQuantile } from '../distributions/beta.js'
import { normalQuantile } from '../distributions/normal.js'
import type { Interval } from './interval.js'

/** The normal quantile of a 95 % interval. */
export const z95 = normalQuantile(0.975)

/**
 * Computes the Wilson score interval of `successes` in `n` trials, in [0, 1]. `z` is the normal quantile, by default that of
 * 95 %.
 *
 * Source: Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22 (1927).
 */
export function wilson(successes: number, n: number, z: number = z95): Interval {
  const share = successes / n
  const square = z * z
  const centre = (share + square / (2 * n)) / (1 + square / n)
  const half = (z / (1 + square / n)) * Math.sqrt((share * (1 - share)) / n + square / (4 * n * n))
  // At the ends the bound is exactly 0 or 1. Rounding would leave an error of 10⁻¹⁷.
  const low = successes === 0 ? 0 : Math.max(0, centre - half)
  const high = successes === n ? 1 : Math.min(1, centre + half)
  return [low, high]
}

/**
 * Computes the Wilson interval with continuity correction, which covers at least about its level.
 *
 * Source: Newcombe, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17 (1998),
 * method 4.
 */
export function correctedWilson(successes: number, n: number, level = 0.95): Interval {
  const z = findLevelQuantile(level)
  const [share, square] = [successes / n, z * z]
  const whole = 2 * (n + square)
  const reach = (sign: 1 | -1): number =>
    z * Math.sqrt(square - sign * 2 - 1 / n + 4 * share * (n * (1 - share) + sign)) + 1
  return [
    successes === 0 ? 0 : Math.max(0, (2 * n * share + square - reach(1)) / whole),
    successes === n ? 1 : Math.min(1, (2 * n * share + square + reach(-1)) / whole),
  ]
}

/** Computes the normal interval share ± z √(share (1 − share) / n), cut at 0 and 1. It has no width at the ends. */
export function wald(successes: number, n: number, level = 0.95): Interval {
  const share = successes / n
  return cutNormal(share, Math.sqrt((share * (1 - share)) / n), level)
}

/**
 * Computes the normal interval of a share with z²/2 more successes and failures, cut at 0 and 1.
 *
 * Source: Agresti and Coull, "Approximate Is Better than “Exact” for Interval Estimation of Binomial Proportions", The
 * American Statistician 52 (1998).
 */
export function agrestiCoull(successes: number, n: number, level = 0.95): Interval {
  const square = findLevelQuantile(level) ** 2
  const size = n + square
  const share = (successes + square / 2) / size
  return cutNormal(share, Math.sqrt((share * (1 - share)) / size), level)
}

/**
 * Computes the exact interval, which covers at least its level.
 *
 * Source: Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
 * Biometrika 26 (1934).
 */
export function clopperPearson(successes: number, n: number, level = 0.95): Interval {
  const tail = (1 - level) / 2
  return [
    successes === 0 ? 0 : betaQuantile(tail, successes, n - successes + 1),
    successes === n ? 1 : betaUpperQuantile(tail, successes + 1, n - successes),
  ]
}

/**
 * Computes the equal-tailed interval of Beta(successes + ½, failures + ½), the posterior under Jeffreys' prior.
 *
 * Source: Brown, Cai and DasGupta, "Interval Estimation for a Binomial Proportion", Statistical Science 16 (2001).
 */
export function jeffreys(successes: number, n: number, level = 0.95): Interval {
  const [tail, a, b] = [(1 - level) / 2, successes + 0.5, n - successes + 0.5] as const
  return [betaQuantile(tail, a, b), betaUpperQuantile(tail, a, b)]
}

const findLevelQuantile = (level: number): number => normalQuantile((1 + level) / 2)

function cutNormal(share: number, stderr: number, level: number): Interval {
  const half = findLevelQuantile(level) * stderr
  return [Math.max(0, share - half), Math.min(1, share + half)]
}
