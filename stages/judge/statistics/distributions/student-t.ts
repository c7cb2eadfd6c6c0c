/** Student's t distribution; `df` > 0, not necessarily whole. */
import { incompleteBeta } from './beta.js'
import { normalQuantile } from './normal.js'
import { stirlingError } from './saddle-point.js'

/** Computes P(|T| > |t|), the two-sided p value. */
export function tTwoSided(t: number, df: number): number {
  const square = t * t
  if (!Number.isFinite(square)) return 0
  return incompleteBeta(df / 2, 0.5, df / (df + square), square / (df + square))
}

/** Computes P(T ≤ t). */
export function tCdf(t: number, df: number): number {
  const tail = tTwoSided(t, df) / 2
  return t > 0 ? 1 - tail : tail
}

/** Computes P(T > t). */
export const tSf = (t: number, df: number): number => tCdf(-t, df)

/** Computes the density at `t`. Source: Loader's saddle-point form, see `saddle-point.ts`. */
export function tPdf(t: number, df: number): number {
  const half = df / 2
  // ln Γ((df + 1)/2) − ln Γ(df/2) − ½ ln(df/2)
  const gammas = stirlingError(half + 0.5) - stirlingError(half) + half * Math.log1p(0.5 / half) - 0.5
  const square = (t * t) / df
  return Math.exp(gammas - (half + 0.5) * Math.log1p(square)) / Math.sqrt(2 * Math.PI)
}

/** Computes the t with P(T ≤ t) = p, 0 < p < 1, with a relative error of about 10⁻¹². It is NaN for NaN. */
export function tQuantile(p: number, df: number): number {
  if (Number.isNaN(p) || Number.isNaN(df)) return Number.NaN
  if (p === 0.5) return 0
  return p < 0.5 ? -upperPoint(p, df) : upperPoint(1 - p, df)
}

/** The t > 0 with P(T > t) = tail: Newton's method on log P over log t, kept inside a bracket. */
function upperPoint(tail: number, df: number): number {
  let low = -700
  let high = 700
  let u = Math.log(Math.max(-normalQuantile(tail), 1e-300))
  for (let i = 0; i < 200; i++) {
    const t = Math.exp(u)
    const probability = tTwoSided(t, df) / 2
    if (probability > tail) low = u
    else high = u
    const slope = (density(t, df) * t) / probability
    const next = u + Math.log(probability / tail) / slope
    const inside = next > low && next < high
    const step = inside ? next - u : (low + high) / 2 - u
    if (Math.abs(step) < 1e-15 * Math.max(1, Math.abs(u))) break
    u += step
  }
  return Math.exp(u)
}

/**
 * The density by a central difference of the tail, for moderate t. Its precision matters little, since it only sets
 * the size of Newton's step.
 */
function density(t: number, df: number): number {
  const h = t * 1e-5
  return (tTwoSided(t - h, df) - tTwoSided(t + h, df)) / (4 * h)
}
