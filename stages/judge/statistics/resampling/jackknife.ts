import { sumTerms } from '../intervals/mean.js'
import type { UnitStatistic } from './units.js'

/** The statistic without each unit, and what follows from it. */
export interface Jackknife {
  readonly estimate: number
  readonly stderr: number
  /** The estimated bias of the statistic. */
  readonly bias: number
  readonly leaveOneOut: Float64Array
}

/**
 * Runs the jackknife, which leaves out one unit at a time. It is not valid for a median.
 *
 * Source: Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 11.
 */
export function runJackknife(statistic: UnitStatistic): Jackknife {
  const { units: n, estimate } = statistic
  const leaveOneOut = computeWithoutGroups(statistic, n)
  const mean = sumTerms(n, i => leaveOneOut[i] ?? 0) / n
  const squares = sumTerms(n, i => ((leaveOneOut[i] ?? 0) - mean) ** 2)
  return { estimate, stderr: Math.sqrt(((n - 1) / n) * squares), bias: (n - 1) * (mean - estimate), leaveOneOut }
}

/** Computes the statistic without each of `groups` groups of units. */
export const computeWithoutGroups = ({ computeWithout }: UnitStatistic, groups: number): Float64Array =>
  Float64Array.from({ length: groups }, (_, group) => computeWithout(group, groups))

/**
 * Computes the acceleration of BCa from leave-one-out values: a sixth of the skewness of their negatives, over √n.
 * Undefined if they have no spread.
 *
 * Source: Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987), equation 6.6.
 */
export function computeAcceleration(leaveOneOut: Float64Array): number | undefined {
  const values = leaveOneOut.filter(Number.isFinite)
  const n = values.length
  const mean = sumTerms(n, i => values[i] ?? 0) / n
  const squares = sumTerms(n, i => (mean - (values[i] ?? 0)) ** 2)
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (!(Math.sqrt(squares) > 1e-13 * largest)) return undefined
  return sumTerms(n, i => (mean - (values[i] ?? 0)) ** 3) / (6 * squares ** 1.5)
}
