/** Predictable bets on bounded values: each is chosen before its value is seen. */
import { PipelineError } from '../../../../base/errors/errors.js'

/**
 * The point at which bets make an interval narrow: when the mean is known to within `offset`, or after `values` values. Elsewhere it
 * is a little wider: by a quarter after a quarter of the values, or after four times as many.
 */
export type BetAim = { readonly offset: number } | { readonly values: number }

/**
 * Computes the predictable plug-in bets λ_t = √(2 ln(1/α) / (σ̂²_{t−1} · t · ln(1 + t))). The variance is that of the
 * values before t, with one value of mean ½ and variance ¼ ahead of them.
 *
 * Source: Waudby-Smith & Ramdas, "Estimating means of bounded random variables by betting", JRSS B (2024), equation 24;
 * confseq 0.0.11, `lambda_predmix_eb`. With an aim, t · ln(1 + t) is the number of values n at which the interval shall
 * be narrow (section 3.2); with n = 2 ln(1/α) σ̂² / offset² the bet is offset / σ̂².
 */
export function computeBets(values: readonly number[], alpha: number, aim?: BetAim): readonly number[] {
  let [sum, squares] = [0.5, 0.25]
  return values.map((value, i) => {
    const t = i + 1
    const variance = squares / t
    const bet =
      aim !== undefined && 'offset' in aim
        ? aim.offset / variance
        : Math.sqrt((2 * Math.log(1 / alpha)) / (variance * (aim?.values ?? t * Math.log(1 + t))))
    sum += value
    squares += (value - sum / (t + 1)) ** 2
    return bet
  })
}

/** Refuses values outside [0, 1] and an alpha outside (0, 1). */
export function checkBounded(values: readonly number[], alpha: number): void {
  if (!(alpha > 0 && alpha < 1))
    throw new PipelineError('usage', `Alpha is ${alpha}, and it must be between 0 and 1. A common value is 0.05.`)
  const odd = values.findIndex(value => !(value >= 0 && value <= 1))
  if (odd >= 0)
    throw new PipelineError(
      'usage',
      `Value ${odd + 1} is ${values[odd]}, and a confidence sequence needs values in [0, 1]. Scale them; paired differences d become (d + 1) / 2.`,
    )
}
