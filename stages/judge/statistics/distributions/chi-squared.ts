/** The χ² distribution; `df` > 0, not necessarily whole. */
import { findPositiveQuantile } from './find-quantile.js'
import { lowerGamma, upperGamma } from './gamma.js'
import { normalQuantile } from './normal.js'
import { poissonTerm } from './saddle-point.js'

/** Computes P(X ≤ x). */
export const chiSquaredCdf = (x: number, df: number): number => lowerGamma(df / 2, x / 2)

/** Computes P(X > x). */
export const chiSquaredSf = (x: number, df: number): number => upperGamma(df / 2, x / 2)

/** Computes the density at `x`. */
export function chiSquaredPdf(x: number, df: number): number {
  if (x < 0) return 0
  if (x === 0) return df < 2 ? Infinity : df === 2 ? 0.5 : 0
  return (poissonTerm(df / 2, x / 2) * df) / (2 * x)
}

/** Computes the x with P(X ≤ x) = p. */
export const chiSquaredQuantile = (p: number, df: number): number => findPoint(p, 1 - p, df)

/** Computes the x with P(X > x) = q. */
export const chiSquaredUpperQuantile = (q: number, df: number): number => findPoint(1 - q, q, df)

function findPoint(p: number, q: number, df: number): number {
  // Wilson and Hilferty's cube starts the search.
  const z = p <= q ? normalQuantile(p) : -normalQuantile(q)
  const cube = df * (1 - 2 / (9 * df) + z * Math.sqrt(2 / (9 * df))) ** 3
  return findPositiveQuantile(p, q, {
    cdf: x => chiSquaredCdf(x, df),
    sf: x => chiSquaredSf(x, df),
    pdf: x => chiSquaredPdf(x, df),
    guess: cube > 0 && Number.isFinite(cube) ? cube : df / 10,
  })
}
