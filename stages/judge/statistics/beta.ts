/**
 * The regularised incomplete beta function, on which the t and binomial distributions rest.
 *
 * The factor before the continued fraction is a binomial density, taken by Loader's saddle-point form: the usual difference
 * of log-gammas loses seven digits at a million degrees of freedom.
 *
 * Sources: Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000); DLMF 8.17.22 for the fraction.
 */

/** I_x(a, b), with y = 1 − x given by the caller, who may know it without cancellation. a, b > 0. */
export function incompleteBeta(a: number, b: number, x: number, y: number = 1 - x): number {
  if (x <= 0) return 0
  if (y <= 0) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, y, x)
  const front = (binomialDensity(a, b, x, y) * b) / (a + b)
  return front * continuedFraction(a, b, x)
}

/** Γ(a+b+1)/(Γ(a+1)Γ(b+1)) · xᵃ yᵇ, for real a, b > 0. */
function binomialDensity(a: number, b: number, x: number, y: number): number {
  const n = a + b
  const exponent = stirlingError(n) - stirlingError(a) - stirlingError(b) - deviance(a, n * x) - deviance(b, n * y)
  return Math.exp(exponent) * Math.sqrt(n / (2 * Math.PI * a * b))
}

/** ln Γ(n+1) − [(n+½) ln n − n + ½ ln 2π]. */
function stirlingError(n: number): number {
  let shift = 0
  let m = n
  // Below 15 the series has too few digits: step up by the recurrence of the gamma function.
  while (m < 15) {
    shift += (m + 0.5) * Math.log1p(1 / m) - 1
    m += 1
  }
  const q = 1 / (m * m)
  return shift + (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) * q) * q) * q) * q) / m
}

/** x ln(x/m) + m − x, without cancellation where x is near m. */
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

/** Lentz's method. Converges in about √max(a, b) steps where x ≤ (a+1)/(a+b+2). */
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
