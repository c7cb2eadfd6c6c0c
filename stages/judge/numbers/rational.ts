/** Exact numbers. Doubles cannot tell whole numbers beyond 2^53 apart. */

/** A fraction in lowest terms. The denominator is positive. */
export interface Rational {
  readonly top: bigint
  readonly bottom: bigint
}

/** The largest size of numerator and denominator, in bits. Larger results are undefined, as they would take too long. */
const mostBits = 20_000

export const whole = (value: bigint | number): Rational => ({ top: BigInt(value), bottom: 1n })

/** Reduces a fraction. Undefined if the denominator is 0 or a part is too large. */
export function fraction(top: bigint, bottom: bigint): Rational | undefined {
  if (bottom === 0n) return undefined
  if (bottom === 1n) return isShort(top) ? { top, bottom } : undefined
  const divisor = greatestDivisor(top, bottom) * (bottom < 0n ? -1n : 1n)
  const reduced = { top: top / divisor, bottom: bottom / divisor }
  return isShort(reduced.top) && isShort(reduced.bottom) ? reduced : undefined
}

const bounds = { most: 1n << BigInt(mostBits), least: -(1n << BigInt(mostBits)) }
const isShort = (value: bigint): boolean => value < bounds.most && value > bounds.least

export function greatestDivisor(a: bigint, b: bigint): bigint {
  let [x, y] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (y > 0n) [x, y] = [y, x % y]
  return x
}

const decimalForm = /^([-+]?)(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/

/** Reads a decimal number such as `-12.50` or `1e-3`. Undefined if the text is none, or the number is too large. */
export function readDecimal(text: string): Rational | undefined {
  const [, sign, digits = '', decimals = '', exponent = '0'] = decimalForm.exec(text) ?? []
  if (sign === undefined || digits + decimals === '' || digits.length + decimals.length > mostBits / 4) return undefined
  const scale = Number(exponent) - decimals.length
  if (Math.abs(scale) > mostBits / 4) return undefined
  const value = BigInt(`${sign === '-' ? '-' : ''}${digits}${decimals}`)
  return scale >= 0 ? fraction(value * 10n ** BigInt(scale), 1n) : fraction(value, 10n ** BigInt(-scale))
}

export const add = (a: Rational, b: Rational): Rational | undefined =>
  a.bottom === 1n && b.bottom === 1n
    ? fraction(a.top + b.top, 1n)
    : fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)

export const negate = ({ top, bottom }: Rational): Rational => ({ top: -top, bottom })

export const multiply = (a: Rational, b: Rational): Rational | undefined => fraction(a.top * b.top, a.bottom * b.bottom)

export const divide = (a: Rational, b: Rational): Rational | undefined => fraction(a.top * b.bottom, a.bottom * b.top)

/** A power with a whole exponent. Undefined for other exponents, too large results, and 0 to a negative power. */
export function raise(base: Rational, exponent: Rational): Rational | undefined {
  if (exponent.bottom !== 1n) return undefined
  const n = exponent.top < 0n ? -exponent.top : exponent.top
  const size = Math.max(countBits(base.top), countBits(base.bottom))
  if (size > 1 && n * BigInt(size - 1) > mostBits) return undefined
  // The base is 0, 1 or -1 here if n is huge, so only whether it is even matters.
  const times = size > 1 ? n : n === 0n ? 0n : 2n - (n % 2n)
  const [top, bottom] = [base.top ** times, base.bottom ** times]
  return exponent.top < 0n ? fraction(bottom, top) : fraction(top, bottom)
}

const countBits = (value: bigint): number => (value < 0n ? -value : value).toString(2).length

export const isEqual = (a: Rational, b: Rational): boolean => a.top === b.top && a.bottom === b.bottom

/** Negative if `a` is less than `b`, 0 if they are equal, else positive. */
export function compare(a: Rational, b: Rational): number {
  const [left, right] = [a.top * b.bottom, b.top * a.bottom]
  return left < right ? -1 : left > right ? 1 : 0
}

export const magnitude = ({ top, bottom }: Rational): Rational => ({ top: top < 0n ? -top : top, bottom })

/** The nearest double, apart from rounding in the last place. It is infinite if the number is too large. */
export function toNumber({ top, bottom }: Rational): number {
  const [a, b] = [Number(top), Number(bottom)]
  if (Number.isFinite(a) && Number.isFinite(b)) return a / b
  // A quotient of 64 bits has more digits than a double, whatever the sizes of both parts are.
  const shift = countBits(top) - countBits(bottom) - 64
  const quotient = shift > 0 ? top / (bottom << BigInt(shift)) : (top << BigInt(-shift)) / bottom
  // It is scaled in two steps, because 2 ** shift can be too large or too small for a double when the result is not.
  const half = Math.trunc(shift / 2)
  return Number(quotient) * 2 ** half * 2 ** (shift - half)
}
