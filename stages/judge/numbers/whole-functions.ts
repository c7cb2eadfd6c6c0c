/** Functions of exact numbers that give exact numbers. */
import { fraction, greatestDivisor, raise, whole, type Rational } from './rational.js'

/** A power, exact for whole exponents and for square roots of squares; else undefined. */
export function exactPower(base: Rational, exponent: Rational): Rational | undefined {
  if (exponent.bottom === 1n) return raise(base, exponent)
  if (exponent.bottom !== 2n || base.top < 0n) return undefined
  const [top, bottom] = [wholeRoot(base.top), wholeRoot(base.bottom)]
  return top === undefined || bottom === undefined ? undefined : raise({ top, bottom }, whole(exponent.top))
}

/** The square root of a square; else undefined. By Newton's method. */
function wholeRoot(square: bigint): bigint | undefined {
  if (square < 2n) return square
  let root = 1n << BigInt(Math.ceil(square.toString(2).length / 2))
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) break
    root = next
  }
  return root * root === square ? root : undefined
}

/** The largest number whose factorial is computed exactly. Those of larger numbers exceed the size of a fraction's parts. */
const largest = 2080n

export function exactFactorial({ top, bottom }: Rational): Rational | undefined {
  if (bottom !== 1n || top < 0n || top > largest) return undefined
  let product = 1n
  for (let k = 2n; k <= top; k += 1n) product *= k
  return whole(product)
}

export const exactFloor = ({ top, bottom }: Rational): Rational => whole(top / bottom - (top % bottom < 0n ? 1n : 0n))

/** The remainder with the sign of the divisor. */
export function exactRemainder(a: Rational, b: Rational): Rational | undefined {
  if (b.top === 0n) return undefined
  const divisor = b.top * a.bottom
  const rest = (a.top * b.bottom) % divisor
  return fraction(rest !== 0n && rest < 0n !== divisor < 0n ? rest + divisor : rest, a.bottom * b.bottom)
}

export const exactDivisor = (a: Rational, b: Rational): Rational | undefined =>
  a.bottom === 1n && b.bottom === 1n ? whole(greatestDivisor(a.top, b.top)) : undefined

export function exactMultiple(a: Rational, b: Rational): Rational | undefined {
  const divisor = exactDivisor(a, b)
  if (divisor === undefined || divisor.top === 0n) return undefined
  const multiple = (a.top / divisor.top) * b.top
  return whole(multiple < 0n ? -multiple : multiple)
}
