import { add, divide, multiply, negate, toNumber, whole, type Rational } from '../numbers/rational.js'
import { exactFactorial, exactPower } from '../numbers/whole-functions.js'

/** A complex number. */
export interface Complex {
  readonly re: number
  readonly im: number
  /** The exact value, if it is rational and known. Then `re` is the nearest double. */
  readonly exact?: Rational | undefined
}

/** A real number. A whole number up to 2^53 is exact. */
export const real = (re: number): Complex =>
  Number.isSafeInteger(re) ? { re, im: 0, exact: whole(re) } : { re, im: 0 }

export const ratio = (exact: Rational): Complex => ({ re: toNumber(exact), im: 0, exact })

/** The exact result of an operation; undefined unless both numbers are exact. */
function exactly(
  operation: (a: Rational, b: Rational) => Rational | undefined,
  a: Complex,
  b: Complex,
): Complex | undefined {
  const exact = a.exact && b.exact && operation(a.exact, b.exact)
  return exact && ratio(exact)
}

export const plus = (a: Complex, b: Complex): Complex => exactly(add, a, b) ?? { re: a.re + b.re, im: a.im + b.im }

const subtract = (a: Rational, b: Rational): Rational | undefined => add(a, negate(b))

export const minus = (a: Complex, b: Complex): Complex =>
  exactly(subtract, a, b) ?? { re: a.re - b.re, im: a.im - b.im }

export function times(a: Complex, b: Complex): Complex {
  const exact = exactly(multiply, a, b)
  if (exact !== undefined) return exact
  if (a.im === 0 && b.im === 0) return approximate(a.re * b.re)
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
}

/** A real number that is not exact, whatever its double is. */
const approximate = (re: number): Complex => ({ re, im: 0 })

export function over(a: Complex, b: Complex): Complex {
  const exact = exactly(divide, a, b)
  if (exact !== undefined) return exact
  if (a.im === 0 && b.im === 0) return approximate(a.re / b.re)
  const size = b.re * b.re + b.im * b.im
  return { re: (a.re * b.re + a.im * b.im) / size, im: (a.im * b.re - a.re * b.im) / size }
}

export function absolute(a: Complex): Complex {
  if (a.exact === undefined) return approximate(Math.hypot(a.re, a.im))
  return a.exact.top < 0n ? ratio(negate(a.exact)) : a
}

export function exponential(a: Complex): Complex {
  const size = Math.exp(a.re)
  return a.im === 0 ? approximate(size) : { re: size * Math.cos(a.im), im: size * Math.sin(a.im) }
}

/** The principal value. */
export const logarithm = (a: Complex): Complex =>
  a.im === 0 && a.re > 0
    ? approximate(Math.log(a.re))
    : { re: Math.log(Math.hypot(a.re, a.im)), im: Math.atan2(a.im, a.re) }

/** The principal value. For real numbers it is as exact as `Math.pow`. */
export function power(a: Complex, b: Complex): Complex {
  const exact = exactly(exactPower, a, b)
  if (exact !== undefined) return exact
  if (a.im === 0 && b.im === 0 && (a.re >= 0 || Number.isInteger(b.re))) return approximate(a.re ** b.re)
  if (a.im === 0 && a.re < 0 && b.im === 0 && b.re === 0.5) return { re: 0, im: Math.sqrt(-a.re) }
  return a.re === 0 && a.im === 0 ? real(0) : exponential(times(b, logarithm(a)))
}

/** A function of real numbers; NaN for other arguments. */
export const ofReal =
  (f: (x: number) => number) =>
  (a: Complex): Complex =>
    approximate(a.im === 0 ? f(a.re) : Number.NaN)

const i = { re: 0, im: 1 }
const minusI = { re: 0, im: -1 }

/** The sine, by Euler's formula if the argument is not real. */
export const sine = (a: Complex): Complex =>
  a.im === 0
    ? approximate(Math.sin(a.re))
    : over(minus(exponential(times(i, a)), exponential(times(minusI, a))), { re: 0, im: 2 })

export const cosine = (a: Complex): Complex =>
  a.im === 0
    ? approximate(Math.cos(a.re))
    : over(plus(exponential(times(i, a)), exponential(times(minusI, a))), real(2))

/** The factorial of a number, exact for whole numbers of moderate size. */
export function computeFactorial(a: Complex): Complex {
  if (a.im !== 0) return approximate(Number.NaN)
  const exact = a.exact && exactFactorial(a.exact)
  return exact === undefined ? approximate(factorial(a.re)) : ratio(exact)
}

/** The factorial. Between whole numbers it uses Lanczos's approximation of the gamma function (g = 7, n = 9). */
function factorial(x: number): number {
  if (Number.isInteger(x)) return x < 0 ? Number.NaN : wholeFactorial(x)
  if (x < -0.5) return Math.PI / (Math.sin(-Math.PI * x) * factorial(-x - 1))
  const sum = lanczos.reduce(
    (total, coefficient, index) => total + (index === 0 ? coefficient : coefficient / (x + index)),
    0,
  )
  const t = x + 7.5
  return Math.sqrt(2 * Math.PI) * t ** (x + 0.5) * Math.exp(-t) * sum
}

function wholeFactorial(x: number): number {
  let product = 1
  for (let k = 2; k <= Math.min(x, 171); k += 1) product *= k
  return product
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
]
