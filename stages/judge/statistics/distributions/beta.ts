/** The beta distribution; a, b > 0. The t, F and binomial distributions are computed from it. */
import { findRoot } from './find-quantile.js'
import { lnGamma } from './gamma.js'
import { binomialTerm } from './saddle-point.js'

/**
 * Computes the regularised incomplete beta function I_x(a, b), which is the cdf of the beta distribution. A caller that knows y = 1 − x without cancellation passes it. I_y(b, a) is the upper tail.
 *
 * Source: DLMF 8.17.22 for the continued fraction.
 */
export function incompleteBeta(a: number, b: number, x: number, y: number = 1 - x): number {
  if (x <= 0) return 0
  if (y <= 0) return 1
  // At the mean of the distribution, rounding can make both sides larger than it. So the other side does not turn back.
  return x > (a + 1) / (a + b + 2) ? 1 - lowerTail(b, a, y, x) : lowerTail(a, b, x, y)
}

function lowerTail(a: number, b: number, x: number, y: number): number {
  const front = (binomialTerm(a, b, x, y) * b) / (a + b)
  return front * continuedFraction(a, b, x)
}

/** Computes ln ∫₀ˣ tᵃ⁻¹ (1 − t)ᵇ⁻¹ dt, the logarithm of the incomplete beta function that is not regularised. */
export const logBetaIntegral = (a: number, b: number, x: number): number =>
  lnGamma(a) + lnGamma(b) - lnGamma(a + b) + Math.log(incompleteBeta(a, b, x))

/** Computes the density at `x`. */
export function betaPdf(x: number, a: number, b: number): number {
  if (x < 0 || x > 1) return 0
  if (x === 0) return a < 1 ? Infinity : a === 1 ? b : 0
  if (x === 1) return b < 1 ? Infinity : b === 1 ? a : 0
  return (binomialTerm(a, b, x, 1 - x) * a * b) / ((a + b) * x * (1 - x))
}

/** Computes the x with P(X ≤ x) = p. */
export const betaQuantile = (p: number, a: number, b: number): number => findBetaPoint(p, 1 - p, a, b)[0]

/** Computes the x with P(X > x) = q. */
export const betaUpperQuantile = (q: number, a: number, b: number): number => findBetaPoint(1 - q, q, a, b)[0]

/** Computes the point with P(X ≤ x) = p as `[x, 1 − x]`, both without cancellation. `q` is 1 − p. */
export function findBetaPoint(p: number, q: number, a: number, b: number): readonly [number, number] {
  if (!(p >= 0 && q >= 0)) return [Number.NaN, Number.NaN]
  if (p === 0) return [0, 1]
  if (q === 0) return [1, 0]
  const isLower = incompleteBeta(a, b, 0.5) >= p
  const x = isLower ? findLowerPoint(p, q, a, b) : findLowerPoint(q, p, b, a)
  return isLower ? [x, 1 - x] : [1 - x, x]
}

/** Finds the point if it is at most ½. The logarithm keeps the digits of points near 0. */
function findLowerPoint(p: number, q: number, a: number, b: number): number {
  const slope = (x: number): number => (binomialTerm(a, b, x, 1 - x) * a * b) / ((a + b) * (1 - x))
  const isLowerTail = p <= q
  const target = Math.log(isLowerTail ? p : q)
  const u = findRoot({
    low: -745,
    high: Math.log(0.5),
    guess: Math.log(a / (a + b)),
    evaluate: u => {
      const x = Math.exp(u)
      const tail = isLowerTail ? incompleteBeta(a, b, x, 1 - x) : incompleteBeta(b, a, 1 - x, x)
      const distance = Math.log(tail) - target
      return { value: isLowerTail ? distance : -distance, slope: slope(x) / tail }
    },
  })
  return u <= -745 ? 0 : Math.exp(u)
}

/** Computes the continued fraction by Lentz's method. It converges in about √max(a, b) steps for x ≤ (a+1)/(a+b+2). */
function continuedFraction(a: number, b: number, x: number): number {
  const tiny = 1e-300
  const nonZero = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m < 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / nonZero(1 + even * d)
    c = nonZero(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / nonZero(1 + odd * d)
    c = nonZero(1 + odd / c)
    const change = d * c
    value *= change
    if (Math.abs(change - 1) < 1e-16) break
  }
  return value
}
