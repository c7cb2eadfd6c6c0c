import { exponentText, fixedText, significant } from './exact-decimals.js'

/** A floating-point number that is not negative, in one of C's forms: `e`, `f`, `g` or `%`; with its point and zeros where they are kept. */
export function realText(value: number, form: string, decimals: number, keepsZeros = false): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return 'inf'
  const text = formed(value, { form, decimals, keepsZeros })
  return keepsZeros && !text.includes('.') ? text.replace(/(?=[e%]|$)/, '.') : text
}

function formed(
  value: number,
  { form, decimals, keepsZeros }: { readonly form: string; readonly decimals: number; readonly keepsZeros: boolean },
): string {
  if (form === 'f') return fixedText(value, decimals)
  if (form === '%') return `${fixedText(value * 100, decimals)}%`
  if (form === 'e') return exponentText(value, decimals)
  return generalText(value, Math.max(decimals, 1), keepsZeros)
}

/** `%g`: so many digits, without zeros at the end. */
function generalText(value: number, digits: number, keepsZeros: boolean): string {
  const { exponent } = significant(value, digits - 1)
  const text =
    exponent < -4 || exponent >= digits ? exponentText(value, digits - 1) : fixedText(value, digits - 1 - exponent)
  if (keepsZeros || !text.includes('.')) return text
  return text.replace(/\.?0+(?=e|$)/, '')
}

/** A whole number that is not negative, in one of C's forms: `d`, `x`, `X`, `o` or `b`. */
export function wholeText(value: number, form: string): string {
  const base = { x: 16, X: 16, o: 8, b: 2 }[form] ?? 10
  const text = BigInt(value).toString(base)
  return form === 'X' ? text.toUpperCase() : text
}

/** Digits with a sign between groups of them. */
export function grouped(text: string, separator: string, size = 3): string {
  const [whole = '', ...rest] = text.split(/(?=[.e%])/)
  const pattern = size === 4 ? /\B(?=(?:[\da-fA-F]{4})+$)/g : /\B(?=(?:\d{3})+$)/g
  return [whole.replace(pattern, separator), ...rest].join('')
}
