/**
 * Reads, rounds and writes numbers like Python. Reference scorers compare the results of `float()`, `round()` and
 * `str()`.
 */

const digits = '\\d+(?:_\\d+)*'
const floatPattern = new RegExp(`^[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:[eE][+-]?${digits})?$`)
const space = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const isSpace = new RegExp(space)
const intPattern = new RegExp(`^[+-]?${digits}$`)

/**
 * Parses a text like Python's `float()`; undefined if that raises. It accepts digits of any script, `1_000`, `.5`,
 * `inf`, `nan` and surrounding white space, but no hexadecimal numbers and no thousands commas.
 */
export function parsePythonFloat(text: string): number | undefined {
  const plain = asciiNumber(text)
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(plain)
  if (word !== null) {
    if (/nan/i.test(plain)) return NaN
    return word[1] === '-' ? -Infinity : Infinity
  }
  return floatPattern.test(plain) ? Number(plain.replaceAll('_', '')) : undefined
}

/** Parses a text like Python's `int()`; undefined if that raises. */
export function parsePythonInt(text: string): bigint | undefined {
  const plain = asciiNumber(text)
  if (!intPattern.test(plain)) return undefined
  const value = BigInt(plain.replace(/[+\-_]/g, ''))
  return plain.startsWith('-') ? -value : value
}

/** Removes white space at the ends. Unlike `strip()`, Python's number parsers do not count U+001C–1F as white space. */
function asciiNumber(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isSpace.test(text.charAt(start))) start++
  while (end > start && isSpace.test(text.charAt(end - 1))) end--
  return withAsciiDigits(text.slice(start, end))
}

/**
 * Python's `round(value, places)`: it rounds the exact binary value, ties to even. 2.675 → 2.67, 0.125 → 0.12.
 * `places` is 0 to 100.
 */
export function pythonRound(value: number, decimals: number): number {
  const size = Math.abs(value)
  // Every double from 2^52 on is a whole number.
  if (!Number.isFinite(value) || size >= 2 ** 52) return value
  const rounded = size.toFixed(decimals)
  // toFixed is exact, but rounds ties away from zero. A tie is an odd multiple of 2^-(places + 1): its digits after
  // the last place are exactly 5.
  const isTie = (size * 2 ** (decimals + 1)) % 2 === 1
  const even = isTie && /[13579]$/.test(rounded) ? oneLess(rounded) : rounded
  return value < 0 || Object.is(value, -0) ? -Number(even) : Number(even)
}

/** Subtracts one unit in the last place. That digit is odd, so no borrow is needed. */
const oneLess = (decimal: string): string => decimal.slice(0, -1) + String(Number(decimal.slice(-1)) - 1)

/** Python's `str(value)` of a float: `5.0`, `1e-05`, `1e+16`, `nan`. */
export function pythonFloatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const exponent = Number(exponentText)
  const mantissaDigits = mantissa.replace('.', '')
  if (exponent < -4 || exponent >= 16) {
    const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
    return `${sign}${mantissa}e${power}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${mantissaDigits}`
  const whole = mantissaDigits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${mantissaDigits.slice(exponent + 1) || '0'}`
}

/** Matches one decimal digit of any script, like Python's `\d`. */
const decimalDigit = /\p{Nd}/gu

/** The value of a decimal digit of any script: 3 for `3`, `３`, `٣`. */
export function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  if (code < 0x80) return code - 0x30
  // In Unicode the ten digits of a script are consecutive and start with zero.
  let zero = code
  while (isDigit(zero - 1)) zero -= 1
  return (code - zero) % 10
}

/** Replaces the digits of all scripts by those of ASCII. */
export const withAsciiDigits = (text: string): string => text.replace(decimalDigit, digit => String(digitValue(digit)))

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code))
