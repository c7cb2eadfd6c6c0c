import { realText, wholeText } from './number-format.js'
import { printRepr, printValue } from './print.js'
import { Float, numberIn, Tuple, typeName, type Value } from './values.js'

const conversion = /%(?:\((.*?)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?(.)/gsu

/**
 * Renders Python's `text % values`.
 * @throws Error where Python raises one.
 */
export function percentFormatted(text: string, values: Value): string {
  const source = JSON.stringify(text)
  if (/(?:^|[^%])(?:%%)*%$/.test(text)) throw new Error(`${source} % …: it ends within a place`)
  const remainingValues = values instanceof Tuple ? [...values.items] : [values]
  const take = (): Value => {
    const value = remainingValues.shift()
    if (value === undefined) throw new Error(`${source} % …: there are too few values`)
    return value
  }
  let result = ''
  let at = 0
  for (const match of text.matchAll(conversion)) {
    result += text.slice(at, match.index) + formatField(match, { values, take })
    at = match.index + match[0].length
  }
  const isNamed = values instanceof Map
  if (!isNamed && remainingValues.length > 0) throw new Error(`${source} % …: not all values are shown`)
  return result + text.slice(at)
}

function formatField(
  [, name, flags = '', width, precision, form = '']: RegExpExecArray,
  { values, take }: { readonly values: Value; readonly take: () => Value },
): string {
  if (form === '%') return '%'
  const count = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : text === '*' ? Number(numberIn(take())) : Number(text)
  const wide = count(width)
  const exact = count(precision)
  const value = name === undefined ? take() : takeNamedValue(values, name)
  return padText(convert(value, form, { flags, precision: exact }), { flags, width: wide ?? 0, form })
}

function takeNamedValue(values: Value, name: string): Value {
  const value = values instanceof Map ? values.get(name) : undefined
  if (value === undefined) throw new Error(`%(${name})…: there is no value of that name`)
  return value
}

interface Form {
  readonly flags: string
  readonly precision: number | undefined
}

function convert(value: Value, form: string, { flags, precision }: Form): string {
  if (form === 's' || form === 'r' || form === 'a') {
    const text = form === 's' ? printValue(value) : printRepr(value)
    return precision === undefined ? text : Array.from(text).slice(0, precision).join('')
  }
  if (form === 'c') return formatCharacter(value)
  const number = numberIn(value)
  if (!'diuoxXeEfFgG'.includes(form)) throw new Error(`%${form} is no form of a value`)
  if (number === undefined) throw new Error(`%${form} needs a number, not ${typeName(value)}`)
  // Truncation comes first, since -0.5 as an integer has no sign.
  const size = 'diu'.includes(form) ? Math.trunc(number) + 0 : number
  const sign = size < 0 || Object.is(size, -0) ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  return sign + formatDigits(value, Math.abs(size), { form, flags, precision })
}

function formatCharacter(value: Value): string {
  if (typeof value === 'number') return String.fromCodePoint(value)
  if (typeof value === 'string' && Array.from(value).length === 1) return value
  throw new Error(`%c needs one character, not ${typeName(value)}`)
}

function formatDigits(
  value: Value,
  size: number,
  { form, flags, precision }: Form & { readonly form: string },
): string {
  if ('diu'.includes(form)) return wholeText(Math.trunc(size), 'd').padStart(precision ?? 0, '0')
  if ('oxX'.includes(form)) {
    if (value instanceof Float) throw new Error(`%${form} needs a whole number`)
    const prefix = flags.includes('#') ? `0${form}` : ''
    return prefix + wholeText(size, form).padStart(precision ?? 0, '0')
  }
  const text = realText(size, form.toLowerCase(), precision ?? 6, flags.includes('#'))
  return form === form.toLowerCase() ? text : text.toUpperCase()
}

function padText(
  text: string,
  { flags, width, form }: { readonly flags: string; readonly width: number; readonly form: string },
): string {
  const missing = Math.max(Math.abs(width) - Array.from(text).length, 0)
  if (flags.includes('-') || width < 0) return text + ' '.repeat(missing)
  const isNumber = !'srac'.includes(form) && !/inf|nan/i.test(text)
  if (!flags.includes('0') || !isNumber) return ' '.repeat(missing) + text
  const [sign = ''] = /^[-+ ]?(?:0[xXo])?/.exec(text) ?? []
  return sign + '0'.repeat(missing) + text.slice(sign.length)
}
