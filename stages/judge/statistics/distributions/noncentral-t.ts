/**
 * The noncentral t distribution: (Z + shift) / S with S² a χ² over its `df`, for the power of t tests.
 *
 * It is integrated over ln S. The integrand is positive, so that both tails keep their digits, and the trapezoidal rule
 * converges exponentially.
 *
 * Sources: Johnson, Kotz and Balakrishnan, "Continuous Univariate Distributions" 2 (1995), chapter 31, for the
 * integral; Trefethen and Weideman, "The Exponentially Convergent Trapezoidal Rule", SIAM Review 56 (2014).
 */
import { findRoot } from './find-quantile.js'
import { normalCdf, normalPdf } from './normal.js'
import { stirlingError } from './saddle-point.js'
import { tQuantile } from './student-t.js'

/** Computes P(T ≤ t). */
export const noncentralTCdf = (t: number, df: number, shift: number): number =>
  integrateOverSpread({ df, shift }, s => normalCdf(t * s - shift))

/** Computes P(T > t). */
export const noncentralTSf = (t: number, df: number, shift: number): number =>
  integrateOverSpread({ df, shift }, s => normalCdf(shift - t * s))

/** Computes the density at `t`. */
export const noncentralTPdf = (t: number, df: number, shift: number): number =>
  integrateOverSpread({ df, shift }, s => s * normalPdf(t * s - shift))

/** Computes the t with P(T ≤ t) = p. */
export function noncentralTQuantile(p: number, df: number, shift: number): number {
  if (!(p >= 0 && p <= 1)) return Number.NaN
  if (p === 0 || p === 1) return p === 0 ? -Infinity : Infinity
  const centre = tQuantile(p, df) + shift
  let reach = 1 + Math.abs(centre)
  while (noncentralTCdf(centre - reach, df, shift) > p || noncentralTCdf(centre + reach, df, shift) < p) reach *= 2
  return findRoot({
    low: centre - reach,
    high: centre + reach,
    guess: centre,
    evaluate: t => ({
      value: p <= 0.5 ? noncentralTCdf(t, df, shift) - p : 1 - p - noncentralTSf(t, df, shift),
      slope: noncentralTPdf(t, df, shift),
    }),
  })
}

/** The widest step in ln S. Few degrees of freedom have a wide density, and a large shift makes the integrand steep. */
const limitStep = (shift: number): number => Math.min(0.05, 0.35 / (1 + Math.abs(shift)))

/** Computes the mean of `value` over S = √(χ² / df). */
function integrateOverSpread(
  { df, shift }: { readonly df: number; readonly shift: number },
  value: (s: number) => number,
): number {
  const half = df / 2
  const front = 2 * Math.sqrt(half / (2 * Math.PI)) * Math.exp(-stirlingError(half))
  const integrand = (u: number): number => front * Math.exp(-half * (Math.expm1(2 * u) - 2 * u)) * value(Math.exp(u))
  const [low, high] = findSupport(integrand, half)
  const steps = Math.max(400, Math.ceil((high - low) / limitStep(shift)))
  const width = (high - low) / steps
  let sum = (integrand(low) + integrand(high)) / 2
  for (let i = 1; i < steps; i++) sum += integrand(low + i * width)
  return sum * width
}

/** Finds where the integrand is more than 10⁻²⁰ of its largest value. */
function findSupport(integrand: (u: number) => number, half: number): readonly [number, number] {
  // The density of few degrees of freedom reaches far: half e²ᵘ = 60 at its end.
  const [low, high] = [-40 / half - 1, Math.max(4, Math.log(60 / half) / 2)]
  let [from, to] = [low, high]
  // Each round narrows the grid to the points that matter; the peak of 10⁷ degrees is 10⁻³ wide.
  for (let round = 0; round < 6; round++) {
    const points = Array.from({ length: 101 }, (_, i) => from + ((to - from) * i) / 100)
    const values = points.map(integrand)
    const most = Math.max(...values)
    if (most === 0) {
      const near = Math.max(low, -20 / Math.sqrt(half))
      return [near, Math.min(high, 20 / Math.sqrt(half))]
    }
    const first = values.findIndex(value => value > most * 1e-20)
    const last = values.findLastIndex(value => value > most * 1e-20)
    const next = [points[Math.max(0, first - 1)] ?? low, points[Math.min(100, last + 1)] ?? high] as const
    if (next[1] - next[0] > 0.8 * (to - from)) return next
    ;[from, to] = next
  }
  return [from, to]
}
