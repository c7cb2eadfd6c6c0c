import { floatText } from '../../../../base/python/python-text.js'
import { exponentText, fixedText, groupDigits, realText, significant, wholeText } from './number-format.js'
import { printRepr, printValue } from './print.js'
import { type Arguments, Float, numberIn, Tuple, typeName, type Value } from './values.js'

/**
 * Renders Python's `text.format(…)`.
 * @throws Error where Python raises one.
 */
export function braceFormatted(text: string, args: Arguments): string {
  return fillBraces(text, { args, next: 0 })
}

interface Filling {
  readonly args: Arguments
  next: number
}

function fillBraces(text: string, filling: Filling): string {
  let result = ''
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char !== '{' && char !== '}') result += char
    else if (text.charAt(at + 1) === char) {
      result += char
      at += 1
    } else {
      const end = char === '{' ? closingBrace(text, at) : -1
      if (end < 0) throw new Error(`format: a single ${char} in ${JSON.stringify(text)}`)
      result += place(text.slice(at + 1, end), filling)
      at = end
    }
    at += 1
  }
  return result
}

function closingBrace(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text.charAt(at) === '{') depth += 1
    if (text.charAt(at) === '}') depth -= 1
    if (depth === 0) return at
  }
  return -1
}

function place(source: string, filling: Filling): string {
  const [, field = '', conversion, spec = ''] = /^([^!:]*)(?:!(.))?(?::(.*))?$/su.exec(source) ?? []
  const value = fieldValue(field, filling)
  const converted = conversion === undefined ? value : conversion === 's' ? printValue(value) : printRepr(value)
  return formatValue(converted, fillBraces(spec, filling))
}

function fieldValue(field: string, filling: Filling): Value {
  const [, root = '', rest = ''] = /^([^.[]*)(.*)$/su.exec(field) ?? []
  const { positional, named } = filling.args
  const argument = /^\d*$/.test(root) ? positional[root === '' ? filling.next++ : Number(root)] : named.get(root)
  if (argument === undefined) throw new Error(`format: there is no argument ${root === '' ? filling.next - 1 : root}`)
  let value = argument
  for (const [part, index] of rest.matchAll(/\[([^\]]*)\]|\.\w+/g)) {
    const inner = index === undefined ? undefined : itemAt(value, index)
    if (inner === undefined) throw new Error(`format: ${typeName(value)} has no ${part}`)
    value = inner
  }
  return value
}

function itemAt(value: Value, index: string): Value | undefined {
  if (value instanceof Map) return value.get(/^\d+$/.test(index) ? Number(index) : index)
  const items = Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined
  return /^\d+$/.test(index) ? items?.[Number(index)] : undefined
}

interface Spec {
  readonly fill: string
  readonly align: string
  readonly sign: string
  readonly isAlternate: boolean
  readonly width: number
  readonly grouping: string
  readonly precision: number | undefined
  readonly form: string
  /** A zero stands before the width, without an explicit alignment. */
  readonly isZeroed: boolean
}

/** Formats one value by a format specification, as Python's `format` does. */
function formatValue(value: Value, source: string): string {
  if (source === '') return printValue(value)
  const spec = readSpec(source)
  if (typeof value === 'string')
    return alignText('', ofText(value, spec), { ...spec, align: spec.isZeroed ? '<' : spec.align || '<' })
  const number = numberIn(value)
  if (number === undefined) throw new Error(`format: ${typeName(value)} takes no ${JSON.stringify(source)}`)
  const sign = number < 0 || Object.is(number, -0) ? '-' : spec.sign === '-' ? '' : spec.sign
  return alignText(sign, ofNumber(value, Math.abs(number), spec), { ...spec, align: spec.align || '>' })
}

function readSpec(source: string): Spec {
  const match = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su.exec(source)
  if (match === null) throw new Error(`format: ${JSON.stringify(source)} is no format`)
  const [, fill, align, sign = '', alternate, zero, width, grouping = '', precision, form = ''] = match
  return {
    fill: fill ?? (zero === undefined ? ' ' : '0'),
    align: align ?? (zero === undefined ? '' : '='),
    sign,
    isAlternate: alternate !== undefined,
    width: Number(width ?? 0),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    form,
    isZeroed: zero !== undefined && align === undefined,
  }
}

function ofText(value: string, { form, precision, align, sign, grouping, isZeroed }: Spec): string {
  if ((form !== '' && form !== 's') || (align === '=' && !isZeroed) || sign !== '' || grouping !== '')
    throw new Error('format: a text takes no form of a number')
  return precision === undefined ? value : Array.from(value).slice(0, precision).join('')
}

function ofNumber(value: Value, size: number, spec: Spec): string {
  const { form, precision, grouping, isAlternate } = spec
  const isReal = value instanceof Float || /^[eEfFgG%]$/.test(form)
  if (!isReal) {
    if (precision !== undefined) throw new Error('format: a whole number has no precision')
    if (form === 'c') return String.fromCodePoint(size)
    if (!/^[bdoxXn]?$/.test(form)) throw new Error(`format: a number takes no form "${form}"`)
    const text = wholeText(size, form === '' ? 'd' : form)
    const prefix = isAlternate && /^[boxX]$/.test(form) ? `0${form}` : ''
    return prefix + (grouping === '' ? text : groupDigits(text, grouping, /^[boxX]$/.test(form) ? 4 : 3))
  }
  if (form !== '' && !/^[eEfFgGn%]$/.test(form))
    throw new Error(`format: a floating-point number takes no form "${form}"`)
  const text =
    form === ''
      ? plainReal(size, precision)
      : realText(size, form.toLowerCase().replace('n', 'g'), precision ?? 6, isAlternate)
  const grouped = grouping === '' ? text : groupDigits(text, grouping)
  return form !== '' && form === form.toUpperCase() ? grouped.toUpperCase() : grouped
}

/** Formats a number as `str` does, or with `precision` digits. At least one digit stands behind the point. */
function plainReal(size: number, precision: number | undefined): string {
  if (precision === undefined || !Number.isFinite(size)) return floatText(size)
  const digits = Math.max(precision, 1)
  const { exponent } = significant(size, digits - 1)
  if (exponent < -4 || exponent >= digits - 1) return exponentText(size, digits - 1).replace(/\.?0+(?=e)/, '')
  const text = fixedText(size, digits - 1 - exponent).replace(/(\.\d*?)0+$/, '$1')
  return text.endsWith('.') ? `${text}0` : text
}

function alignText(sign: string, digits: string, { fill, align, width, grouping, form }: Spec): string {
  const missing = Math.max(width - Array.from(sign + digits).length, 0)
  if (align === '=' && fill === '0' && grouping !== '' && missing > 0)
    return sign + zerosInGroups(digits, { width: width - sign.length, grouping, size: /^[boxX]$/.test(form) ? 4 : 3 })
  switch (align) {
    case '<':
      return sign + digits + fill.repeat(missing)
    case '^':
      return fill.repeat(Math.floor(missing / 2)) + sign + digits + fill.repeat(Math.ceil(missing / 2))
    case '=':
      return sign + fill.repeat(missing) + digits
    default:
      return fill.repeat(missing) + sign + digits
  }
}

/** Pads with zeros that are grouped as well: `0,001,234`. */
function zerosInGroups(
  digits: string,
  { width, grouping, size }: { readonly width: number; readonly grouping: string; readonly size: number },
): string {
  const [whole = '', ...rest] = digits.replaceAll(grouping, '').split(/(?=[.e%])/)
  const tail = rest.join('')
  let text = whole
  while (groupDigits(text, grouping, size).length + tail.length < width) text = `0${text}`
  return groupDigits(text, grouping, size) + tail
}
