import { readDecimal, type Rational } from './rational.js'

/** A number's digits with their separators, as in `1,234.5`, `12,34,567`, `1 234 567`, `1'234` or `.5`. */
export const digitsPattern =
  String.raw`(?:[1-9]\d{0,2}(?:([ \u00a0\u2009\u202f])\d{3}(?:\1\d{3})*(?:[.,]\d+)?(?![\d])|(?:['’_]\d{3})+(?:[.,]\d+)?(?!\d))` +
  String.raw`|\d+(?:[.,]\d+)*|\.\d+)`

const thousands = [
  /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/,
  // Lakhs and crores.
  /^[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?$/,
]
const pointThousands = [/^[1-9]\d{0,2}(?:\.\d{3}){2,}(?:,\d+)?$/, /^[1-9]\d{0,2}\.\d{3},\d+$/]

/**
 * Reads digits with separators. One comma separates thousands where three digits follow it, as in `1,234`, and is a
 * decimal comma elsewhere, as in `3,14`. One point is a decimal point. Undefined if the separators fit no convention,
 * as in `1.2.3` or `1,2,3`.
 */
export function readDigits(numeral: string): Rational | undefined {
  const text = numeral.replace(/[ \u00a0\u2009\u202f'’_]/g, '')
  if (/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text)) return readDecimal(text)
  if (thousands.some(form => form.test(text))) return readDecimal(text.replaceAll(',', ''))
  if (pointThousands.some(form => form.test(text))) return readDecimal(text.replaceAll('.', '').replace(',', '.'))
  return /^\d+,\d+$/.test(text) ? readDecimal(text.replace(',', '.')) : undefined
}
