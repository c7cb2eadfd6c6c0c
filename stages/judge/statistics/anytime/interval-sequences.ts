/** Confidence sequences that need only summaries: counts of right answers, or a mean and a deviation. */
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Interval } from '../intervals/interval.js'
import { makeBetaBinomial } from './boundaries.js'

/**
 * Computes the interval of a share at any moment of a sequence of 0/1 scores. It covers the share at all moments
 * together with probability 1 − α. `tOpt` is the number of scores at which it is narrowest.
 *
 * Source: Howard et al., Annals of Statistics 49 (2021), section 4.2; confseq 0.0.11, `bernoulli_confidence_interval`.
 */
export function computeBernoulliSequence(
  { successes, n }: { readonly successes: number; readonly n: number },
  {
    alpha = 0.05,
    tOpt,
    alphaOpt = 0.05,
  }: { readonly alpha?: number; readonly tOpt: number; readonly alphaOpt?: number },
): Interval {
  checkAlpha(alpha)
  if (!(n >= 1 && successes >= 0 && successes <= n && tOpt > 0))
    throw new PipelineError(
      'usage',
      `There are ${successes} successes of ${n} trials, and tOpt is ${tOpt}. The trials and tOpt must be at least 1.`,
    )
  const share = successes / n
  const isRejected = (p: number): boolean => {
    const variance = p * (1 - p)
    const logMixture = makeBetaBinomial({ vOpt: tOpt * variance, alphaOpt, g: p, h: 1 - p, isOneSided: false })
    return logMixture((share - p) * n, n * variance) >= Math.log(1 / alpha)
  }
  return [successes === 0 ? 0 : findEdge(isRejected, 0, share), successes === n ? 1 : findEdge(isRejected, 1, share)]
}

/**
 * Computes the asymptotic confidence sequence of a mean from the number of values, their mean and deviation. It is
 * valid for a large number of values only: near the ends of the range it errs in up to 29 % of all runs.
 *
 * Source: Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2021), arXiv 2103.06476.
 *
 * @param rho2 the mixture's variance ρ², which makes the interval narrow at about n = 1 / ρ² · ln(1/α²)
 */
export function computeAsymptoticSequence(
  { n, mean, deviation }: { readonly n: number; readonly mean: number; readonly deviation: number },
  { alpha = 0.05, rho2 }: { readonly alpha?: number | undefined; readonly rho2: number },
): Interval {
  checkAlpha(alpha)
  if (!(n >= 1 && deviation >= 0 && rho2 > 0))
    throw new PipelineError(
      'usage',
      `There are ${n} values with the deviation ${deviation}, and rho2 is ${rho2}. There must be a value, and rho2 must be above 0.`,
    )
  const scaled = n * rho2 + 1
  const half = deviation * Math.sqrt((scaled / (n * n * rho2)) * Math.log(scaled / (alpha * alpha)))
  return [mean - half, mean + half]
}

/** Finds the end of the shares that are rejected from `extreme` on, by bisection between it and the observed share. */
function findEdge(isRejected: (share: number) => boolean, extreme: 0 | 1, observed: number): number {
  let [rejected, kept]: [number, number] = [extreme, observed]
  for (let i = 0; i < 50; i++) {
    const middle = (rejected + kept) / 2
    if (isRejected(middle)) rejected = middle
    else kept = middle
  }
  return kept
}

function checkAlpha(alpha: number): void {
  if (!(alpha > 0 && alpha < 1))
    throw new PipelineError('usage', `Alpha is ${alpha}, and it must be between 0 and 1. A common value is 0.05.`)
}
