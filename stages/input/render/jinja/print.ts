import { floatText, quoted } from '../python-text.js'
import {
  Callable,
  Float,
  Foreign,
  Loop,
  Missing,
  Namespace,
  Range,
  Stream,
  Time,
  Tuple,
  View,
  Written,
  present,
  type Value,
} from './values.js'

/** A value as Python's `str` prints it, which is what its Jinja puts into a text. */
export function shown(value: Value): string {
  if (value instanceof Missing && value.isEmpty) return ''
  if (typeof value === 'string') return value
  if (value instanceof Written) return value.text
  const written = value instanceof Float || value instanceof Time ? value.written : undefined
  return written === undefined ? represented(value) : written.text
}

/** A value as Python's `repr` prints it, as it does inside of lists. */
export function represented(value: Value): string {
  const found = present(value)
  if (found === null) return 'None'
  if (typeof found === 'boolean') return found ? 'True' : 'False'
  if (typeof found === 'number') return String(found)
  if (typeof found === 'string') return quoted(found)
  if (found instanceof Float) return found.written?.repr ?? floatText(found.value)
  if (found instanceof Time) return found.written.repr
  if (found instanceof Written) return found.repr
  if (Array.isArray(found)) return `[${listed(found)}]`
  if (found instanceof Tuple) return found.items.length === 1 ? `(${listed(found.items)},)` : `(${listed(found.items)})`
  if (found instanceof Map)
    return `{${[...found].map(([key, item]) => `${represented(key)}: ${represented(item)}`).join(', ')}}`
  if (found instanceof View) return `dict_${found.kind}([${listed(found.items)}])`
  if (found instanceof Range) return `range(${found.bounds.join(', ')})`
  return unprintable(found)
}

const listed = (items: readonly Value[]): string => items.map(represented).join(', ')

/** What Python shows with an address in memory is no part of a prompt. */
function unprintable(value: Callable | Stream | Namespace | Loop | Foreign): string {
  if (value instanceof Callable) throw new Error(`the function ${value.name} is shown, not called`)
  if (value instanceof Stream) throw new Error('a generator is shown: put | list or | join behind it')
  if (value instanceof Foreign && ArrayBuffer.isView(value.value)) throw new Error('bytes are no text')
  throw new Error('a value is shown that is no text')
}
