/** A number whose Python text does not follow from its JSON: `3.0`, `Decimal('1.50')`. */
export class PythonNumber {
  readonly value: number | string
  /** The text that `str` prints. */
  readonly text: string
  /** The text that `repr` prints, as within a list. */
  readonly repr: string

  constructor(value: number | string, text: string, repr = text) {
    this.value = value
    this.text = text
    this.repr = repr
  }
}

export const pythonFloat = (value: number): PythonNumber => new PythonNumber(value, floatText(value))

/** Prints a value of a doc as Python's `str` does. A number without a fraction is an integer, unless it says otherwise. */
export function pythonText(value: unknown): string {
  if (typeof value === 'string') return value
  return value instanceof PythonNumber ? value.text : pythonRepr(value)
}

/** Prints a value as {@link pythonText} does, with sorted keys, so that equal objects have one text. */
export const labelText = (value: unknown): string =>
  typeof value === 'object' && !(value instanceof PythonNumber) ? formatRepr(value, true) : pythonText(value)

/** Prints a value of a doc as Python's `repr` does. */
const pythonRepr = (value: unknown): string => formatRepr(value, false)

function formatRepr(value: unknown, sortsKeys: boolean): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quotePythonText(value)
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : floatText(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof PythonNumber) return value.repr
  if (Array.isArray(value)) return `[${value.map(item => formatRepr(item, sortsKeys)).join(', ')}]`
  const entries = Object.entries(value)
  if (sortsKeys) entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${quotePythonText(key)}: ${formatRepr(item, sortsKeys)}`).join(', ')}}`
}

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
export function quotePythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const escaped = text.replace(/[\\'"]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}]/gu, char => {
    if (char === quote || char === '\\') return `\\${char}`
    if (char === '"' || char === "'" || char === ' ') return char
    const shortEscape = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[char]
    return shortEscape ?? escapeCodePoint(char.codePointAt(0) ?? 0)
  })
  return `${quote}${escaped}${quote}`
}

function escapeCodePoint(code: number): string {
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`
}

/** Prints a decimal as Python does: with an exponent below 1e-6. */
export function decimalText(value: number | string, digits: number): string {
  const text = typeof value === 'string' ? value : value.toFixed(digits)
  const leading = /^(-?)0\.(0{6,})(\d*)$/.exec(text)
  if (leading === null) return text
  const [, sign = '', zeros = '', rest = ''] = leading
  const [first = '0', ...otherDigits] = rest
  const exponent = rest === '' ? zeros.length : zeros.length + 1
  return `${sign}${first}${otherDigits.length === 0 ? '' : `.${otherDigits.join('')}`}E-${exponent}`
}

/** Whether a text has an upper-case letter and no lower-case one, like Python's `str.isupper()`. */
export const isUpper = (text: string): boolean => /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)

/** Whether a text has a lower-case letter and no upper-case one, like Python's `str.islower()`. */
export const isLower = (text: string): boolean => /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
