/** Fisher's F distribution; `df1` and `df2` > 0, not necessarily whole. X = df2 · B / (df1 · (1 − B)) for a beta B. */
import { betaPdf, findBetaPoint, incompleteBeta } from './beta.js'

/** Computes P(X ≤ x). */
export function fCdf(x: number, df1: number, df2: number): number {
  const [below, above] = splitShare(x, df1, df2)
  return incompleteBeta(df1 / 2, df2 / 2, below, above)
}

/** Computes P(X > x). */
export function fSf(x: number, df1: number, df2: number): number {
  const [below, above] = splitShare(x, df1, df2)
  return incompleteBeta(df2 / 2, df1 / 2, above, below)
}

/** Computes the density at `x`. */
export function fPdf(x: number, df1: number, df2: number): number {
  if (x < 0) return 0
  const [below, above] = splitShare(x, df1, df2)
  return (betaPdf(below, df1 / 2, df2 / 2) * above * above * df1) / df2
}

/** Computes the x with P(X ≤ x) = p. */
export const fQuantile = (p: number, df1: number, df2: number): number => findPoint(p, 1 - p, df1, df2)

/** Computes the x with P(X > x) = q. */
export const fUpperQuantile = (q: number, df1: number, df2: number): number => findPoint(1 - q, q, df1, df2)

function findPoint(p: number, q: number, df1: number, df2: number): number {
  const [below, above] = findBetaPoint(p, q, df1 / 2, df2 / 2)
  return (df2 * below) / (df1 * above)
}

/** Computes the beta variable of `x` and 1 minus it, both without cancellation. */
function splitShare(x: number, df1: number, df2: number): readonly [number, number] {
  if (!(x > 0)) return [0, 1]
  if (x === Infinity) return [1, 0]
  const whole = df1 * x + df2
  return [(df1 * x) / whole, df2 / whole]
}
