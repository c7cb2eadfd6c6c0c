/** Student's t distribution; `df` > 0, not necessarily whole. */

/** The standard normal distribution. */

const a = [
  3.387132872796366608, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
  4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
]
const b = [
  1, 4.2313330701600911252e1, 6.871870074920579083e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
  3.930789580009271061e4, 2.8729085735721942674e4, 5.226495278852854561e3,
]
const c = [
  1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504, 1.27045825245236838258,
  2.4178072517745061177e-1, 2.27238449892691845833e-2, 7.7454501427834140764e-4,
]
const d = [
  1, 2.05319162663775882187, 1.6763848301838038494, 6.8976733498510000455e-1, 1.4810397642748007459e-1,
  1.51986665636164571966e-2, 5.475938084995344946e-4, 1.05075007164441684324e-9,
]
const e = [
  6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 2.9656057182850489123e-1,
  2.6532189526576123093e-2, 1.2426609473880784386e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
]
const f = [
  1, 5.9983220655588793769e-1, 1.3692988092273580531e-1, 1.48753612908506148525e-2, 7.868691311456132591e-4,
  1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
]

/**
 * The quantile of the standard normal distribution, with a relative error of about 10⁻¹⁶. `p` is in (0, 1); the
 * result is ∓Infinity at the ends.
 *
 * Source: Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied Statistics 37
 * (1988).
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    return (q * horner(a, r)) / horner(b, r)
  }
  const tail = q < 0 ? p : 1 - p
  if (tail <= 0) return q < 0 ? -Infinity : Infinity
  const r = Math.sqrt(-Math.log(tail))
  const size = r <= 5 ? horner(c, r - 1.6) / horner(d, r - 1.6) : horner(e, r - 5) / horner(f, r - 5)
  return q < 0 ? -size : size
}

/** P(Z ≤ x). The relative error is about 10⁻¹⁴, far into the lower tail. */
export const normalCdf = (x: number): number => (x > 0 ? 1 - upperTail(x) : upperTail(-x))

/** P(Z > x) for x ≥ 0: a series near 0, a continued fraction beyond (Abramowitz & Stegun 26.2.11 and 26.2.14). */
function upperTail(x: number): number {
  const density = Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI)
  if (x < 3) {
    let term = x
    let sum = x
    for (let k = 3; term > sum * 1e-17; k += 2) {
      term *= (x * x) / k
      sum += term
    }
    return 0.5 - density * sum
  }
  let fraction = 0
  for (let k = 200; k >= 1; k--) fraction = k / (x + fraction)
  return density / (x + fraction)
}

function horner(coefficients: readonly number[], x: number): number {
  let value = 0
  for (let i = coefficients.length - 1; i >= 0; i--) value = value * x + (coefficients[i] ?? 0)
  return value
}

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

/** The t with P(T ≤ t) = p, 0 < p < 1, with a relative error of about 10⁻¹². */
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

/**
 * The density by a central difference of the tail, for moderate t. Its precision matters little, since it only sets
 * the size of Newton's step.
 */
function density(t: number, df: number): number {
  const h = t * 1e-5
  return (tTwoSided(t - h, df) - tTwoSided(t + h, df)) / (4 * h)
}

/**
 * The regularised incomplete beta function, from which the t and binomial distributions are computed.
 *
 * The factor before the continued fraction is a binomial density in Loader's saddle-point form. The common
 * difference of log-gammas loses seven digits at a million degrees of freedom.
 *
 * Sources: Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000); DLMF 8.17.22 for the fraction.
 */

/** I_x(a, b) with a, b > 0. A caller that knows y = 1 − x without cancellation passes it. */
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
  // The series has too few digits below 15, so the recurrence of the gamma function leads there.
  while (m < 15) {
    shift += (m + 0.5) * Math.log1p(1 / m) - 1
    m += 1
  }
  const q = 1 / (m * m)
  return shift + (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188) * q) * q) * q) * q) / m
}

/** x ln(x/m) + m − x, without cancellation if x is close to m. */
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

/** The continued fraction by Lentz's method. It converges in about √max(a, b) steps for x ≤ (a+1)/(a+b+2). */
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
