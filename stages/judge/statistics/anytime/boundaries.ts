/** Uniform boundaries: a sum of centred values with intrinsic time v ever exceeds its boundary with probability α at most. */
import { PipelineError } from '../../../../base/errors/errors.js'
import { logBetaIntegral } from '../distributions/beta.js'
import { lnGamma, logLowerGamma } from '../distributions/gamma.js'
import { normalCdf } from '../distributions/normal.js'
import { findCrossing } from '../distributions/find-quantile.js'

/** The point at which a mixture boundary is tightest. */
export interface MixtureSettings {
  /** The probability that the boundary is ever crossed. @default 0.05 */
  readonly alpha?: number | undefined
  /** The intrinsic time at which the boundary is tightest. */
  readonly vOpt: number
  /** The alpha for which it is tightest there. @default 0.05 */
  readonly alphaOpt?: number | undefined
}

/** Computes the two-sided normal mixture boundary √((v + ρ) ln((v + ρ) / (ρ α²))). Sources: Robbins, Annals of Mathematical Statistics 41 (1970); Howard et al., Annals of Statistics 49 (2021), equation 14. */
export function computeNormalBoundary(v: number, rho: number, alpha: number = 0.05): number {
  checkTime(v, alpha)
  if (!(rho > 0)) throw new PipelineError('usage', `Rho is ${rho}, and it must be above 0.`)
  return Math.sqrt((v + rho) * Math.log((v + rho) / (rho * alpha * alpha)))
}

/**
 * Computes the normal mixture boundary of sub-Gaussian sums. The one-sided boundary is crossed from below only.
 *
 * Source: Howard, Ramdas, McAuliffe & Sekhon, Annals of Statistics 49 (2021), propositions 5 and 6; confseq 0.0.11,
 * `normal_mixture_bound`.
 */
export function computeNormalMixtureBoundary(
  v: number,
  settings: MixtureSettings & { readonly isOneSided?: boolean | undefined },
): number {
  const { alpha, rho } = readMixture(v, settings, settings.isOneSided ?? true)
  if (settings.isOneSided === false) return computeNormalBoundary(v, rho, alpha)
  return findBoundary(v, alpha, sum => {
    const time = v + rho
    return 0.5 * Math.log((4 * rho) / time) + (sum * sum) / (2 * time) + Math.log(normalCdf(sum / Math.sqrt(time)))
  })
}

/**
 * Computes the gamma-exponential mixture boundary of sub-exponential sums with scale c.
 *
 * Source: Howard et al. (2021), proposition 9; confseq 0.0.11, `gamma_exponential_mixture_bound`.
 */
export function computeGammaBoundary(v: number, settings: MixtureSettings & { readonly c: number }): number {
  const { alpha, rho } = readMixture(v, settings, true)
  const square = settings.c * settings.c
  const shape = rho / square
  const constant = shape * Math.log(shape) - lnGamma(shape) - logLowerGamma(shape, shape)
  return findBoundary(v, alpha, sum => {
    const [a, x] = [(v + rho) / square, (settings.c * sum + v) / square]
    return constant + lnGamma(a) + logLowerGamma(a, x + shape) - a * Math.log(x + shape) + x
  })
}

/**
 * Computes the beta-binomial mixture boundary of sums whose terms lie in [−g, h].
 *
 * Source: Howard et al. (2021), propositions 7 and 8; confseq 0.0.11, `beta_binomial_mixture_bound`.
 */
export function computeBetaBinomialBoundary(
  v: number,
  settings: MixtureSettings & { readonly g: number; readonly h: number; readonly isOneSided?: boolean | undefined },
): number {
  const { alpha = 0.05, g } = settings
  checkTime(v, alpha)
  const logMixture = makeBetaBinomial(settings)
  // No sum is larger than v / g, so a boundary there is never crossed.
  const most = v / g
  if (logMixture(most, v) < Math.log(1 / alpha)) return most
  return findBoundary(v, alpha, sum => logMixture(Math.min(sum, most), v), most)
}

/** Makes the logarithm of the beta-binomial mixture martingale, a function of the sum and of its intrinsic time. */
export function makeBetaBinomial({
  g,
  h,
  isOneSided = true,
  ...mixture
}: MixtureSettings & {
  readonly g: number
  readonly h: number
  readonly isOneSided?: boolean | undefined
}): (sum: number, v: number) => number {
  const width = g + h
  const rho = Math.max(chooseRho(mixture, isOneSided) - g * h, 1e-3 * g * h)
  const x = isOneSided ? h / width : 1
  const constant = logBetaIntegral(rho / (g * width), rho / (h * width), x)
  return (sum, v) =>
    (v / (g * h)) * Math.log(width) -
    ((v + h * sum) / (h * width)) * Math.log(g) -
    ((v - g * sum) / (g * width)) * Math.log(h) +
    logBetaIntegral((rho + v - g * sum) / (g * width), (rho + v + h * sum) / (h * width), x) -
    constant
}

/**
 * Computes the polynomial stitched boundary, a closed form that grows as the law of the iterated logarithm from the
 * time `vMin` on.
 *
 * Source: Howard et al. (2021), theorem 1 and equation 10; confseq 0.0.11, `poly_stitching_bound`.
 */
export function computeStitchedBoundary(
  v: number,
  {
    alpha = 0.05,
    vMin,
    c = 0,
    s = 1.4,
    eta = 2,
  }: {
    readonly alpha?: number | undefined
    readonly vMin: number
    readonly c?: number | undefined
    readonly s?: number | undefined
    readonly eta?: number | undefined
  },
): number {
  checkTime(v, alpha)
  const time = Math.max(v, vMin)
  const level = s * Math.log(Math.log((eta * time) / vMin)) + Math.log(computeZeta(s) / (alpha * Math.log(eta) ** s))
  const k1 = (eta ** 0.25 + eta ** -0.25) / Math.SQRT2
  const linear = ((Math.sqrt(eta) + 1) / 2) * c * level
  return Math.sqrt(k1 * k1 * time * level + linear * linear) + linear
}

function readMixture(
  v: number,
  { alpha = 0.05, vOpt, alphaOpt }: MixtureSettings,
  isOneSided: boolean,
): { readonly alpha: number; readonly rho: number } {
  checkTime(v, alpha)
  return { alpha, rho: chooseRho({ vOpt, alphaOpt }, isOneSided) }
}

/** The mixture's parameter that makes the boundary tightest at `vOpt`. Source: Howard et al. (2021), proposition 3. */
function chooseRho({ vOpt, alphaOpt = 0.05 }: MixtureSettings, isOneSided: boolean): number {
  checkTime(vOpt, alphaOpt)
  const log = 2 * Math.log(1 / (isOneSided ? 2 * alphaOpt : alphaOpt))
  return vOpt / (log + Math.log(1 + log))
}

/** Finds the sum at which the logarithm of the mixture martingale reaches ln(1/α). */
function findBoundary(v: number, alpha: number, logMixture: (sum: number) => number, most = Infinity): number {
  const miss = (sum: number): number => logMixture(sum) + Math.log(alpha)
  let high = Math.min(most, Math.max(1, Math.sqrt(v)))
  while (miss(high) < 0 && high < most) high = Math.min(most, 2 * high)
  return findCrossing(miss, 0, high)
}

function checkTime(v: number, alpha: number): void {
  if (!(v > 0)) throw new PipelineError('usage', `The intrinsic time is ${v}, and it must be above 0.`)
  if (!(alpha > 0 && alpha < 1))
    throw new PipelineError('usage', `Alpha is ${alpha}, and it must be between 0 and 1. A common value is 0.05.`)
}

/** Computes the Riemann zeta function for s > 1 by Euler and Maclaurin's sum. Source: DLMF 25.2.9. */
function computeZeta(s: number): number {
  const n = 20
  let sum = 0
  for (let k = 1; k < n; k++) sum += k ** -s
  const tail = n ** (1 - s) / (s - 1) + n ** -s / 2
  const correction =
    (s * n ** (-s - 1)) / 12 -
    (s * (s + 1) * (s + 2) * n ** (-s - 3)) / 720 +
    (s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * n ** (-s - 5)) / 30240
  return sum + tail + correction
}
