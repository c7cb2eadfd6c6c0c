/**
 * Formats a non-negative floating-point number in one of C's forms: `e`, `f`, `g` or `%`. `keepsZeros` keeps the
 * point and trailing zeros.
 */
export function realText(value: number, form: string, decimals: number, keepsZeros = false): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return 'inf'
  const text = formatByForm(value, { form, decimals, keepsZeros })
  return keepsZeros && !text.includes('.') ? text.replace(/(?=[e%]|$)/, '.') : text
}

function formatByForm(
  value: number,
  { form, decimals, keepsZeros }: { readonly form: string; readonly decimals: number; readonly keepsZeros: boolean },
): string {
  if (form === 'f') return fixedText(value, decimals)
  if (form === '%') return `${fixedText(value * 100, decimals)}%`
  if (form === 'e') return exponentText(value, decimals)
  return generalText(value, Math.max(decimals, 1), keepsZeros)
}

/** Formats by `%g`: `digits` digits, without trailing zeros. */
function generalText(value: number, digits: number, keepsZeros: boolean): string {
  const { exponent } = significant(value, digits - 1)
  const text =
    exponent < -4 || exponent >= digits ? exponentText(value, digits - 1) : fixedText(value, digits - 1 - exponent)
  if (keepsZeros || !text.includes('.')) return text
  return text.replace(/\.?0+(?=e|$)/, '')
}

/** Formats a non-negative integer in one of C's forms: `d`, `x`, `X`, `o` or `b`. */
export function wholeText(value: number, form: string): string {
  const base = { x: 16, X: 16, o: 8, b: 2 }[form] ?? 10
  const text = BigInt(value).toString(base)
  return form === 'X' ? text.toUpperCase() : text
}

/** Groups digits: `1234567` becomes `1,234,567`. */
export function groupDigits(text: string, separator: string, size = 3): string {
  const [whole = '', ...rest] = text.split(/(?=[.e%])/)
  const pattern = size === 4 ? /\B(?=(?:[\da-fA-F]{4})+$)/g : /\B(?=(?:\d{3})+$)/g
  return [whole.replace(pattern, separator), ...rest].join('')
}

/**
 * Formats a non-negative number with `decimals` digits behind the point, rounded from its exact value, halves to the
 * even digit.
 */
export function fixedText(value: number, decimals: number): string {
  const digits = String(scaleToInteger(value, decimals)).padStart(decimals + 1, '0')
  if (decimals === 0) return digits
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Formats as `1.50e+03`, with `decimals` digits behind the point. */
export function exponentText(value: number, decimals: number): string {
  const { digits, exponent } = significant(value, decimals)
  const fraction = decimals === 0 ? '' : `.${digits.slice(1)}`
  return `${digits.slice(0, 1)}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Returns the first `decimals + 1` digits of a number, and the power of ten of the first one. */
export function significant(value: number, decimals: number): { readonly digits: string; readonly exponent: number } {
  if (value === 0) return { digits: '0'.repeat(decimals + 1), exponent: 0 }
  const [, guess = '0'] = value.toExponential().split('e')
  for (const exponent of [Number(guess), Number(guess) + 1]) {
    const digits = String(scaleToInteger(value, decimals - exponent))
    if (digits.length === decimals + 1) return { digits, exponent }
  }
  throw new Error('internal error: a number without digits')
}

/** Returns `value · 10 ** power` rounded to an integer, halves to the even one. */
function scaleToInteger(value: number, power: number): bigint {
  const { mantissa, exponent } = parts(value)
  const numerator = mantissa * 2n ** BigInt(Math.max(exponent, 0)) * 10n ** BigInt(Math.max(power, 0))
  const denominator = 2n ** BigInt(Math.max(-exponent, 0)) * 10n ** BigInt(Math.max(-power, 0))
  const down = numerator / denominator
  const twice = (numerator % denominator) * 2n
  const isUp = twice > denominator || (twice === denominator && down % 2n === 1n)
  return isUp ? down + 1n : down
}

/** Splits a number exactly into `mantissa · 2 ** exponent`. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10000000000000n, exponent: biased - 1075 }
}
