/** The standard normal distribution and the error function. */

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
 * Computes the quantile of the standard normal distribution, with a relative error of about 10⁻¹⁶. `p` is in (0, 1); the
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

/** Computes the density at `x`. */
export const normalPdf = (x: number): number => Math.exp(-0.5 * x * x) / Math.sqrt(2 * Math.PI)

/** Computes P(Z ≤ x). The relative error is about 10⁻¹⁴, far into the lower tail. */
export const normalCdf = (x: number): number => (x > 0 ? 1 - upperTail(x) : upperTail(-x))

/** Computes the error function: 2/√π ∫₀ˣ e^(−s²) ds. */
export function erf(x: number): number {
  const z = Math.abs(x) * Math.SQRT2
  return Math.sign(x) * (z < 3 ? 2 * centralArea(z) : 1 - 2 * upperTail(z))
}

/** Computes P(Z > x) for x ≥ 0: a continued fraction from 3 on (Abramowitz & Stegun 26.2.14). */
function upperTail(x: number): number {
  if (x < 3) return 0.5 - centralArea(x)
  let fraction = 0
  for (let k = 200; k >= 1; k--) fraction = k / (x + fraction)
  return normalPdf(x) / (x + fraction)
}

/** Computes P(0 < Z ≤ x). Source: Abramowitz & Stegun 26.2.11. */
function centralArea(x: number): number {
  let term = x
  let sum = x
  for (let k = 3; term > sum * 1e-17; k += 2) {
    term *= (x * x) / k
    sum += term
  }
  return normalPdf(x) * sum
}

function horner(coefficients: readonly number[], x: number): number {
  let value = 0
  for (let i = coefficients.length - 1; i >= 0; i--) value = value * x + (coefficients[i] ?? 0)
  return value
}
