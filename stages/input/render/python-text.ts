import { type Floats, mapNumbers } from '../datasets/columns/floats.js'

/**
 * Prints a floating-point number as Python does: the shortest digits that identify it, with an exponent from 1e16 up
 * and below 1e-4.
 */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0.0'
  const size = Math.abs(value)
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    const [digits = '', exponent = '0'] = value.toExponential().split('e')
    const power = Math.abs(Number(exponent))
    return `${digits}e${Number(exponent) < 0 ? '-' : '+'}${String(power).padStart(2, '0')}`
  }
  return Number.isInteger(value) ? `${value.toFixed(0)}.0` : String(value)
}

/** Prints a text as Python's `repr` does. */
export function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/[\\'"]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/gu, char => {
    if (char === quote || char === '\\') return `\\${char}`
    if (char === '"' || char === "'" || char === ' ') return char
    const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char]
    return named ?? numbered(char.codePointAt(0) ?? 0)
  })
  return `${quote}${escaped}${quote}`
}

function numbered(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** Prints a decimal as Python does: with an exponent below 1e-6. */
export function decimalText(value: number | string, digits: number): string {
  const text = typeof value === 'string' ? value : value.toFixed(digits)
  const leading = /^(-?)0\.(0{6,})(\d*)$/.exec(text)
  if (leading === null) return text
  const [, sign = '', zeros = '', rest = ''] = leading
  const [first = '0', ...others] = rest
  const exponent = rest === '' ? zeros.length : zeros.length + 1
  return `${sign}${first}${others.length === 0 ? '' : `.${others.join('')}`}E-${exponent}`
}

/** Replaces floating-point and decimal numbers by texts as Python prints them. */
export const withFloatTexts = (value: unknown, floats: Floats): unknown =>
  mapNumbers(value, floats, (one, of) => {
    if (typeof one !== 'number') return one
    if (of === true) return floatText(one)
    return 'digits' in of ? decimalText(one, of.digits) : one
  })
