/**
 * Densities in Loader's saddle-point form. The common difference of log-gammas loses seven digits at a million degrees
 * of freedom.
 *
 * Source: Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000).
 */

/** Computes Γ(a+b+1)/(Γ(a+1)Γ(b+1)) · xᵃ yᵇ, for real a, b > 0. */
export function binomialTerm(a: number, b: number, x: number, y: number): number {
  const n = a + b
  const exponent = stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y)
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * a * b))
}

/** Computes xᵃ e⁻ˣ / Γ(a+1), for real a, x > 0. */
export const poissonTerm = (a: number, x: number): number =>
  Math.exp(-stirlingError(a) - deviance(a, x)) / Math.sqrt(2 * Math.PI * a)

/** Computes the error of Stirling's formula: ln Γ(n+1) − [(n+½) ln n − n + ½ ln 2π]. */
export function stirlingError(n: number): number {
  let shift = 0
  let m = n
  // The series has too few digits below 15, so the recurrence of the gamma function leads there.
  while (m < 15) {
    shift += (m + 0.5) * Math.log1p(1 / m) - 1
    m += 1
  }
  const q = 1 / (m * m)
  return shift + (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) * q) * q) * q) * q) / m
}

/** Computes x ln(x/m) + m − x, without cancellation if x is close to m. */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x
  const v = (x - m) / (x + m)
  let sum = (x - m) * v
  let term = 2 * x * v
  for (let k = 3; ; k += 2) {
    term *= v * v
    const next = sum + term / k
    if (next === sum) return sum
    sum = next
  }
}
