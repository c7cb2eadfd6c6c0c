import { floatText } from '../python-text.js'
import { represented } from './print.js'
import { Float, Range, Tuple, present, typeName, type Value } from './values.js'

/** As Python's `json.dumps` with sorted keys, and with what ends a script in a page as `\u003c`. */
export const jsonText = (value: Value, indent: string | undefined): string =>
  written(value, { indent, inner: '\n' }).replace(
    /[<>&']/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

interface Writing {
  readonly indent: string | undefined
  /** A line break with the white space of what is around. */
  readonly inner: string
}

function written(given: Value, writing: Writing): string {
  const value = present(given)
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (value instanceof Float) return floatText(value.value).replace('inf', 'Infinity').replace('nan', 'NaN')
  if (typeof value === 'string') return ascii(value)
  const deeper = { ...writing, inner: writing.inner + (writing.indent ?? '') }
  if (Array.isArray(value) || value instanceof Tuple) {
    const items = Array.isArray(value) ? value : value.items
    return within(
      '[]',
      items.map(item => written(item, deeper)),
      { writing, deeper },
    )
  }
  if (!(value instanceof Map))
    throw new Error(`tojson: ${value instanceof Range ? 'a range' : typeName(value)} is no JSON`)
  const entries = [...value].map(([key, item]) => [keyText(key), item] as const)
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return within(
    '{}',
    sorted.map(([key, item]) => `${ascii(key)}: ${written(item, deeper)}`),
    { writing, deeper },
  )
}

const keyText = (key: Value): string =>
  typeof key === 'string' ? key : key === null ? 'null' : represented(key).toLowerCase()

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
