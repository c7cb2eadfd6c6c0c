/** Digits that count; further ones are dropped. Leading zeros are counted. */
const mostDigits = 17
const mostExponent = 308

const pattern = /^[ \t\v\f\r\n]*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?[ \t\v\f\r\n]*$/

/** Powers of ten as a compiler reads them: `10 ** n` may be another number. */
const powers = Array.from({ length: mostExponent + 1 }, (_, exponent) => Number(`1e${exponent}`))
const power = (exponent: number): number => powers[exponent] ?? Infinity

/**
 * A number as pandas' `read_csv` reads it, which is now and then not the nearest one: digits beyond the seventeenth are left out.
 *
 * Source: `precise_xstrtod` of pandas' `tokenizer.c`.
 *
 * @returns NaN where it is none, Infinity where it is too large.
 */
export function pandasFloat(text: string): number {
  const [, sign, whole = '', fraction = '', exponentText = '0'] = pattern.exec(text) ?? []
  if (sign === undefined || whole.length + fraction.length === 0) return NaN
  const decimals = fraction.slice(0, Math.max(0, mostDigits - whole.length))
  const number = ofDigits(whole.slice(0, mostDigits) + decimals)
  const exponent = Math.max(0, whole.length - mostDigits) - decimals.length + Number(exponentText)
  return (sign === '-' ? -1 : 1) * scaled(number, exponent)
}

/** Digit by digit, as there, where they may be too many for an exact number. */
function ofDigits(digits: string): number {
  if (digits.length <= 15) return Number(digits)
  let number = 0
  for (const digit of digits) number = number * 10 + Number(digit)
  return number
}

function scaled(number: number, exponent: number): number {
  if (exponent > mostExponent) return Infinity
  if (exponent >= 0) return number * power(exponent)
  if (exponent >= -mostExponent) return number / power(-exponent)
  return number / power(-mostExponent - exponent) / power(mostExponent)
}
