/** Student's t distribution; `df` > 0, not necessarily whole. */
import { incompleteBeta } from './beta.js'
import { normalQuantile } from './normal.js'

/** P(|T| > |t|): the two-sided p value. */
export function tTwoSided(t: number, df: number): number {
  const square = t * t
  if (!Number.isFinite(square)) return 0
  return incompleteBeta(df / 2, 0.5, df / (df + square), square / (df + square))
}

/** P(T ≤ t). */
export function tCdf(t: number, df: number): number {
  const tail = tTwoSided(t, df) / 2
  return t > 0 ? 1 - tail : tail
}

/** The t with P(T ≤ t) = p, 0 < p < 1. Relative error about 10⁻¹². */
export function tQuantile(p: number, df: number): number {
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

/** By a central difference of the tail where t is moderate: only the direction of Newton's step hangs on it. */
function density(t: number, df: number): number {
  const h = t * 1e-5
  return (tTwoSided(t - h, df) - tTwoSided(t + h, df)) / (4 * h)
}
