/** Sample sizes for a wanted power, and the smallest effect that a sample can show. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { normalQuantile } from '../distributions/normal.js'
import { findCrossing } from '../distributions/find-quantile.js'
import {
  approximateTwoSamplePower,
  computePairedPower,
  computeTwoSamplePower,
  readSettings,
  type Alternative,
  type TestSettings,
} from './t-power.js'

/** A test's settings, with the power that it should reach. */
export interface PlanSettings extends TestSettings {
  /** The probability that the test finds the effect. @default 0.8 */
  readonly power?: number | undefined
}

/** A sample size, exact and rounded up to whole docs. */
export interface SampleSize {
  readonly exact: number
  readonly docs: number
}

/** Two samples of together fewer values have hardly a degree of freedom, with which the t test finds nothing. */
const fewestValues = 2.25

/** Up to this number of pairs the t test's power is computed. Beyond it, it equals the normal approximation. */
const mostPairs = 1e9

/**
 * Computes the number of pairs that the paired t test needs for the effect, exactly by the noncentral t distribution.
 * `effect` is the mean difference in standard deviations of the differences.
 *
 * Source: statsmodels 0.15.0, `tt_solve_power`.
 *
 * @throws PipelineError if no number of pairs reaches the power
 */
export function planPairedSize(effect: number, settings: PlanSettings = {}): SampleSize {
  const { power } = checkPlan(effect, settings)
  return findSize(n => computePairedPower({ effect, n }, settings), { power, fewest: 2, effect })
}

/** Approximates the number of pairs by the normal distribution: ((z₁₋α⸝₂ + z_power) / d)². Source: Miller, "Adding Error Bars to Evals" (2024), equation 9. */
export function approximatePairedSize(effect: number, settings: PlanSettings = {}): SampleSize {
  const exact = (sumQuantiles(checkPlan(effect, settings)) / effect) ** 2
  return { exact, docs: Math.ceil(exact) }
}

/**
 * Computes the size of the first of two independent samples that the t test needs; `ratio` is the size of the second
 * over that of the first. With `method: 'normal'` it uses the normal approximation.
 *
 * Source: statsmodels 0.15.0, `tt_ind_solve_power` and `NormalIndPower.solve_power`.
 */
export function planTwoSampleSize(
  effect: number,
  {
    ratio = 1,
    method = 't',
    ...settings
  }: PlanSettings & { readonly ratio?: number; readonly method?: 't' | 'normal' } = {},
): SampleSize {
  const { power } = checkPlan(effect, settings)
  const compute = method === 't' ? computeTwoSamplePower : approximateTwoSamplePower
  return findSize(n => compute({ effect, n, ratio }, settings), { power, fewest: fewestValues / (1 + ratio), effect })
}

/** Computes the smallest effect, in standard deviations of the differences, that the paired t test of `n` pairs finds with the power. */
export function findDetectableEffect(n: number, settings: PlanSettings = {}): number {
  return findEffect(effect => computePairedPower({ effect, n }, settings), settings)
}

/** Finds the smallest effect with the power of the settings. `computePower` grows with the size of the effect. */
export function findEffect(computePower: (effect: number) => number, settings: PlanSettings): number {
  const { power, alternative } = checkPlan(alternativeSign(settings.alternative), settings)
  const sign = alternativeSign(alternative)
  let high = 1
  const miss = (size: number): number => computePower(sign * size) - power
  while (miss(high) < 0) high *= 2
  return sign * findCrossing(miss, 0, high)
}

/** Approximates the smallest effect by the normal distribution: (z₁₋α⸝₂ + z_power) / √n. */
export function approximateDetectableEffect(n: number, settings: PlanSettings = {}): number {
  const sign = alternativeSign(settings.alternative)
  if (!(n >= 1)) throw new PipelineError('usage', `There are ${n} pairs, and a detectable effect needs at least one.`)
  return (sign * sumQuantiles(checkPlan(sign, settings))) / Math.sqrt(n)
}

/** Finds the smallest size with the power. `computePower` grows with the size. @throws PipelineError if no size reaches it */
export function findSize(
  computePower: (n: number) => number,
  { power, fewest, effect }: { readonly power: number; readonly fewest: number; readonly effect: number },
): SampleSize {
  const miss = (n: number): number => computePower(n) - power
  if (miss(fewest) >= 0) return { exact: fewest, docs: Math.ceil(fewest) }
  let [low, high] = [fewest, 2 * fewest]
  while (miss(high) < 0) {
    ;[low, high] = [high, 2 * high]
    if (high > mostPairs)
      throw new PipelineError(
        'usage',
        `An effect of ${effect} standard deviations needs over ${mostPairs} docs. Ask for a larger effect.`,
      )
  }
  const exact = findCrossing(miss, low, high)
  return { exact, docs: Math.ceil(exact) }
}

const alternativeSign = (alternative: Alternative | undefined): 1 | -1 => (alternative === 'smaller' ? -1 : 1)

interface CheckedPlan {
  readonly alpha: number
  readonly alternative: Alternative
  readonly power: number
}

function sumQuantiles({ alpha, alternative, power }: CheckedPlan): number {
  return normalQuantile(power) - normalQuantile(alternative === 'two-sided' ? alpha / 2 : alpha)
}

/** Fills in the defaults of a plan and refuses those that no number of docs can fulfil. */
export function checkPlan(effect: number, { power = 0.8, ...settings }: PlanSettings): CheckedPlan {
  const { alpha, alternative } = readSettings(settings)
  if (!(power > alpha && power < 1))
    throw new PipelineError(
      'usage',
      `The power is ${power}, and it must be above alpha (${alpha}) and below 1. A common value is 0.8.`,
    )
  if (!Number.isFinite(effect) || effect === 0)
    throw new PipelineError(
      'usage',
      `The effect is ${effect}. No number of docs shows it; name an effect other than 0.`,
    )
  if (alternative !== 'two-sided' && effect * alternativeSign(alternative) < 0)
    throw new PipelineError(
      'usage',
      `A test for ${alternative} values never finds an effect of ${effect}. Turn the effect's sign or the side.`,
    )
  return { alpha, alternative, power }
}
