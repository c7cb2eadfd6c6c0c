/** Two-sided tests with a planned number of looks: how far z must be from 0 at each look. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { normalCdf, normalQuantile } from '../distributions/normal.js'
import { findCrossing } from '../distributions/find-quantile.js'
import { crossBoundaries, followLooks } from './look-integral.js'

/** Computes the probability that |z| of a difference of 0 exceeds `z` at one of `looks` equally spaced looks: the rate of false positives of a test that ignores its looks. */
export const computePeekingError = (looks: number, z: number = normalQuantile(0.975)): number =>
  crossBoundaries(
    listTimes(looks),
    Array.from({ length: looks }, () => z),
  )

/**
 * Computes Pocock's boundary: one z for all equally spaced looks.
 *
 * Source: Pocock, Biometrika 64 (1977); Jennison & Turnbull, "Group Sequential Methods" (2000), table 2.1.
 */
export function computePocockBoundary(looks: number, alpha: number = 0.05): number {
  checkAlpha(alpha)
  const once = normalQuantile(1 - alpha / 2)
  if (looks === 1) return once
  return findCrossing(z => computePeekingError(looks, z) - alpha, once, normalQuantile(1 - alpha / (2 * looks)) + 1e-9)
}

/**
 * Computes O'Brien and Fleming's boundaries: z at each of the equally spaced looks, C·√(K/k). The last one is C, which
 * is hardly above the z of a test without looks.
 *
 * Source: O'Brien & Fleming, Biometrics 35 (1979); Jennison & Turnbull (2000), table 2.3.
 */
export function computeObrienFlemingBoundaries(looks: number, alpha: number = 0.05): readonly number[] {
  checkAlpha(alpha)
  const times = listTimes(looks)
  const list = (last: number): readonly number[] => times.map(time => last / Math.sqrt(time))
  const once = normalQuantile(1 - alpha / 2)
  const last = looks === 1 ? once : findCrossing(z => crossBoundaries(times, list(z)) - alpha, once, once + 1)
  return list(last)
}

/** The rule by which the error rate is spent over the course of a test: slowly at first, evenly by Pocock, or in proportion to the information. */
export type SpendingRule = 'obrien-fleming' | 'pocock' | 'linear'

/**
 * Computes the error rate that may be spent up to each share of the information.
 *
 * Source: Lan & DeMets, Biometrika 70 (1983): 2 − 2Φ(z₁₋α⸝₂ / √t), α ln(1 + (e − 1) t), and α t.
 */
export function spendAlpha(rule: SpendingRule, shares: readonly number[], alpha: number = 0.05): readonly number[] {
  checkShares(shares)
  checkAlpha(alpha)
  const z = normalQuantile(1 - alpha / 2)
  const spend: Readonly<Record<SpendingRule, (t: number) => number>> = {
    'obrien-fleming': t => 2 * normalCdf(-z / Math.sqrt(t)),
    pocock: t => alpha * Math.log1p((Math.E - 1) * t),
    linear: t => alpha * t,
  }
  return shares.map(spend[rule])
}

/**
 * Computes the z at each look that spends the error rate by the rule. The looks need not be planned: each depends only
 * on the looks before it. `shares` is the information at each look over that of the whole test.
 *
 * Source: Lan & DeMets (1983), with the boundaries by Armitage, McPherson & Rowe's recursive integration.
 */
export function computeSpendingBoundaries(
  rule: SpendingRule,
  shares: readonly number[],
  alpha: number = 0.05,
): readonly number[] {
  const spent = spendAlpha(rule, shares, alpha)
  return followLooks(shares, (cross, look) => {
    const budget = (spent[look] ?? 0) - (look === 0 ? 0 : (spent[look - 1] ?? 0))
    let high = 4
    while (cross(high) > budget && high < 64) high *= 2
    // The root of the logarithms, because the rate falls as e^(−z²/2).
    return findCrossing(z => Math.log(Math.max(cross(z), 1e-300)) - Math.log(Math.max(budget, 1e-299)), 0, high)
  })
}

const listTimes = (looks: number): readonly number[] => {
  if (!(Number.isInteger(looks) && looks >= 1))
    throw new PipelineError('usage', `There are ${looks} looks, and a test needs at least one.`)
  return Array.from({ length: looks }, (_, i) => (i + 1) / looks)
}

function checkShares(shares: readonly number[]): void {
  const isRising = shares.every((share, i) => share > (i === 0 ? 0 : (shares[i - 1] ?? 0)) && share <= 1)
  if (shares.length === 0 || !isRising)
    throw new PipelineError(
      'usage',
      `The information is ${shares.join(', ')}. Name a rising share of the whole for each look, above 0 and at most 1.`,
    )
}

function checkAlpha(alpha: number): void {
  if (!(alpha > 0 && alpha < 1))
    throw new PipelineError('usage', `Alpha is ${alpha}, and it must be between 0 and 1. A common value is 0.05.`)
}
