/** The power of t tests of a mean difference: of pairs or one sample, and of two independent samples. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import { normalCdf, normalQuantile } from '../distributions/normal.js'
import { noncentralTCdf, noncentralTSf } from '../distributions/noncentral-t.js'
import { tQuantile } from '../distributions/student-t.js'

/** The side on which a difference counts. */
export type Alternative = 'two-sided' | 'larger' | 'smaller'

/** The settings of a test. */
export interface TestSettings {
  /** The rate of false positives. @default 0.05 */
  readonly alpha?: number | undefined
  /** @default 'two-sided' */
  readonly alternative?: Alternative | undefined
}

/** An effect and the number of pairs, or of values of one sample. */
export interface PairedDesign {
  /** The mean difference in standard deviations of the differences (Cohen's d_z). */
  readonly effect: number
  readonly n: number
}

/** An effect and the sizes of two independent samples. */
export interface TwoSampleDesign {
  /** The difference of the means in standard deviations of the values (Cohen's d). */
  readonly effect: number
  /** The size of the first sample. */
  readonly n: number
  /** The size of the second sample over that of the first. @default 1 */
  readonly ratio?: number | undefined
}

/**
 * Computes the power of the paired, or one-sample, t test: the probability that it finds the effect. `n` need not be
 * whole.
 *
 * Source: Cohen, "Statistical Power Analysis for the Behavioral Sciences" (1988), exactly by the noncentral t
 * distribution; statsmodels 0.15.0, `TTestPower.power`.
 *
 * @throws PipelineError with fewer than two pairs, or an alpha outside (0, 1)
 */
export function computePairedPower({ effect, n }: PairedDesign, settings: TestSettings = {}): number {
  checkDesign({ effect, n })
  return computeTPower(effect * Math.sqrt(n), n - 1, settings)
}

/**
 * Approximates the power of a paired test by the normal distribution, without the chance of a difference on the wrong
 * side: Φ(|d|√n − z).
 *
 * Source: Miller, "Adding Error Bars to Evals" (2024), section 5.
 */
export function approximatePairedPower({ effect, n }: PairedDesign, settings: TestSettings = {}): number {
  checkDesign({ effect, n })
  const { alpha, alternative } = readSettings(settings)
  const z = -normalQuantile(alternative === 'two-sided' ? alpha / 2 : alpha)
  const towards = alternative === 'two-sided' ? Math.abs(effect) : alternative === 'larger' ? effect : -effect
  return normalCdf(towards * Math.sqrt(n) - z)
}

/** Computes the power of the t test of two independent samples with equal variances. Source: statsmodels 0.15.0, `TTestIndPower.power`. */
export function computeTwoSamplePower({ effect, n, ratio = 1 }: TwoSampleDesign, settings: TestSettings = {}): number {
  checkTwoSamples({ effect, n, ratio })
  const size = 1 / (1 / n + 1 / (n * ratio))
  return computeTPower(effect * Math.sqrt(size), n + n * ratio - 2, settings)
}

/** Approximates the power of a test of two independent samples by the normal distribution. Source: statsmodels 0.15.0, `NormalIndPower.power`. */
export function approximateTwoSamplePower(
  { effect, n, ratio = 1 }: TwoSampleDesign,
  settings: TestSettings = {},
): number {
  checkTwoSamples({ effect, n, ratio })
  const { alpha, alternative } = readSettings(settings)
  const shift = effect * Math.sqrt(1 / (1 / n + 1 / (n * ratio)))
  const z = -normalQuantile(alternative === 'two-sided' ? alpha / 2 : alpha)
  const [above, below] = [normalCdf(shift - z), normalCdf(-shift - z)]
  if (alternative === 'two-sided') return above + below
  return alternative === 'larger' ? above : below
}

/** Computes the power of a t test whose statistic has the noncentral t distribution. */
export function computeTPower(noncentrality: number, df: number, settings: TestSettings): number {
  const { alpha, alternative } = readSettings(settings)
  const t = -tQuantile(alternative === 'two-sided' ? alpha / 2 : alpha, df)
  const above = alternative === 'smaller' ? 0 : noncentralTSf(t, df, noncentrality)
  const below = alternative === 'larger' ? 0 : noncentralTCdf(-t, df, noncentrality)
  return Math.min(1, above + below)
}

/** Fills in the defaults of a test's settings. */
export function readSettings({ alpha = 0.05, alternative = 'two-sided' }: TestSettings): Required<TestSettings> & {
  readonly alpha: number
  readonly alternative: Alternative
} {
  if (!(alpha > 0 && alpha < 1))
    throw new PipelineError('usage', `Alpha is ${alpha}, and it must be between 0 and 1. A common value is 0.05.`)
  return { alpha, alternative }
}

function checkDesign({ effect, n }: PairedDesign): void {
  checkEffect(effect)
  if (!(n >= 2 && Number.isFinite(n)))
    throw new PipelineError(
      'usage',
      `A paired test needs at least two pairs, and there are ${formatQuantity(n, 'pair')}.`,
    )
}

function checkTwoSamples({ effect, n, ratio }: Required<TwoSampleDesign>): void {
  checkEffect(effect)
  if (!(n > 0 && ratio !== undefined && ratio > 0 && n + n * ratio > 2))
    throw new PipelineError(
      'usage',
      `Two samples need more than two values together, and there are ${n} and ${n} × ${ratio}.`,
    )
}

function checkEffect(effect: number): void {
  if (!Number.isFinite(effect))
    throw new PipelineError('usage', `The effect is ${effect}, and it must be a finite number of standard deviations.`)
}
