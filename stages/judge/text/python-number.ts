/**
 * Numbers as Python reads, rounds and writes them: the field's scorers compare what `float()`, `round()` and `str()` give.
 */

const digits = '\\d+(?:_\\d+)*'
const floatPattern = new RegExp(`^[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:[eE][+-]?${digits})?$`)
const space = '[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const isSpace = new RegExp(space)
const intPattern = new RegExp(`^[+-]?${digits}$`)

/**
 * `text` as Python's `float()` reads it, or undefined where that raises: digits of any script, `1_000`, `.5`, `inf`, `nan`, white
 * space around it; no hexadecimal, no thousands commas.
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

/** `text` as Python's `int()` reads it, or undefined where that raises. */
export function parsePythonInt(text: string): bigint | undefined {
  const plain = asciiNumber(text)
  if (!intPattern.test(plain)) return undefined
  const value = BigInt(plain.replace(/[+\-_]/g, ''))
  return plain.startsWith('-') ? -value : value
}

/** Without white space at the ends. Unlike `strip()`, Python's numbers don't take U+001C–1F for white space. */
function asciiNumber(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isSpace.test(text.charAt(start))) start++
  while (end > start && isSpace.test(text.charAt(end - 1))) end--
  return withAsciiDigits(text.slice(start, end))
}

/** `round(value, places)`: of the exact binary value, ties to even. 2.675 → 2.67, 0.125 → 0.12. `places` is 0 to 100. */
export function pythonRound(value: number, places: number): number {
  const size = Math.abs(value)
  // From 2^52 on every double is whole.
  if (!Number.isFinite(value) || size >= 2 ** 52) return value
  const rounded = size.toFixed(places)
  // toFixed is exact, but takes ties away from zero. A tie is an odd multiple of 2^-(places + 1): 5 and no more behind the last place.
  const isTie = (size * 2 ** (places + 1)) % 2 === 1
  const even = isTie && /[13579]$/.test(rounded) ? oneLess(rounded) : rounded
  return value < 0 || Object.is(value, -0) ? -Number(even) : Number(even)
}

/** One unit in the last place less; that place is odd, so nothing is borrowed. */
const oneLess = (decimal: string): string => decimal.slice(0, -1) + String(Number(decimal.slice(-1)) - 1)

/** `str(value)` of a Python float: `5.0`, `1e-05`, `1e+16`, `nan`. */
export function pythonFloatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const [mantissa = '', exponentText = '0'] = Math.abs(value).toExponential().split('e')
  const exponent = Number(exponentText)
  const all = mantissa.replace('.', '')
  if (exponent < -4 || exponent >= 16) {
    const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
    return `${sign}${mantissa}e${power}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${all}`
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${all.slice(exponent + 1) || '0'}`
}

/** One decimal digit of any script, as Python's `\d`. */
const decimalDigit = /\p{Nd}/gu

/** The value of a decimal digit of any script: 3 for `3`, `３`, `٣`. */
export function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  if (code < 0x80) return code - 0x30
  // Unicode keeps the digits of a script together and begins each run with its zero.
  let zero = code
  while (isDigit(zero - 1)) zero -= 1
  return (code - zero) % 10
}

/** `text` with the digits of all scripts as those of ASCII. */
export const withAsciiDigits = (text: string): string => text.replace(decimalDigit, digit => String(digitValue(digit)))

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code))
