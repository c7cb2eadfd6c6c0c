import { floatText, quotePythonText } from '../../../../base/python/python-text.js'
import {
  Callable,
  Float,
  Foreign,
  Loop,
  Missing,
  Namespace,
  requirePresent,
  Range,
  Stream,
  Time,
  Tuple,
  typeName,
  type Value,
  View,
  Written,
} from './values.js'

/** Prints a value as Python's `str` does. Jinja outputs values this way. */
export function printValue(value: Value): string {
  if (value instanceof Missing && value.isEmpty) return ''
  if (typeof value === 'string') return value
  if (value instanceof Written) return value.text
  const writtenForm = value instanceof Float || value instanceof Time ? value.written : undefined
  return writtenForm === undefined ? printRepr(value) : writtenForm.text
}

/** Prints a value as Python's `repr` does. Items inside lists are printed this way. */
export function printRepr(value: Value): string {
  const presentValue = requirePresent(value)
  if (presentValue === null) return 'None'
  if (typeof presentValue === 'boolean') return presentValue ? 'True' : 'False'
  if (typeof presentValue === 'number') return String(presentValue)
  if (typeof presentValue === 'string') return quotePythonText(presentValue)
  if (presentValue instanceof Float) return presentValue.written?.repr ?? floatText(presentValue.value)
  if (presentValue instanceof Time) return presentValue.written.repr
  if (presentValue instanceof Written) return presentValue.repr
  if (Array.isArray(presentValue)) return `[${printItems(presentValue)}]`
  if (presentValue instanceof Tuple)
    return presentValue.items.length === 1
      ? `(${printItems(presentValue.items)},)`
      : `(${printItems(presentValue.items)})`
  if (presentValue instanceof Map)
    return `{${[...presentValue].map(([key, item]) => `${printRepr(key)}: ${printRepr(item)}`).join(', ')}}`
  if (presentValue instanceof View) return `dict_${presentValue.kind}([${printItems(presentValue.items)}])`
  if (presentValue instanceof Range) return `range(${presentValue.bounds.join(', ')})`
  return unprintable(presentValue)
}

const printItems = (items: readonly Value[]): string => items.map(printRepr).join(', ')

/** Python prints these with a memory address, which must not be part of a prompt. */
function unprintable(value: Callable | Stream | Namespace | Loop | Foreign): string {
  if (value instanceof Callable) throw new Error(`the function ${value.name} is shown, not called`)
  if (value instanceof Stream) throw new Error('a generator is shown: put | list or | join behind it')
  if (value instanceof Foreign && ArrayBuffer.isView(value.value)) throw new Error('bytes are no text')
  throw new Error('a value is shown that is no text')
}

/**
 * Prints JSON as Python's `json.dumps` with sorted keys. `<`, `>`, `&` and `'` are escaped (`\u003c`), as Jinja's
 * `tojson` does.
 */
export const jsonText = (value: Value, indent: string | undefined): string =>
  printJson(value, { indent, inner: '\n' }).replace(
    /[<>&']/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

interface Writing {
  readonly indent: string | undefined
  /** A line break followed by the indentation of the surrounding value. */
  readonly inner: string
}

function printJson(rawValue: Value, writing: Writing): string {
  const value = requirePresent(rawValue)
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (value instanceof Float) return floatText(value.value).replace('inf', 'Infinity').replace('nan', 'NaN')
  if (typeof value === 'string') return ascii(value)
  const deeper = { ...writing, inner: writing.inner + (writing.indent ?? '') }
  if (Array.isArray(value) || value instanceof Tuple) {
    const items = Array.isArray(value) ? value : value.items
    return within(
      '[]',
      items.map(item => printJson(item, deeper)),
      { writing, deeper },
    )
  }
  if (!(value instanceof Map))
    throw new Error(`tojson: ${value instanceof Range ? 'a range' : typeName(value)} is no JSON`)
  const entries = [...value].map(([key, item]) => [keyText(key), item] as const)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return within(
    '{}',
    sorted.map(([key, item]) => `${ascii(key)}: ${printJson(item, deeper)}`),
    { writing, deeper },
  )
}

const keyText = (key: Value): string =>
  typeof key === 'string' ? key : key === null ? 'null' : printRepr(key).toLowerCase()

function within(
  brackets: string,
  parts: readonly string[],
  { writing, deeper }: { readonly writing: Writing; readonly deeper: Writing },
): string {
  const [open = '', close = ''] = brackets
  if (writing.indent === undefined || parts.length === 0) return open + parts.join(', ') + close
  return `${open}${deeper.inner}${parts.join(`,${deeper.inner}`)}${writing.inner}${close}`
}

const ascii = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, char =>
    char === '\x7f' ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
