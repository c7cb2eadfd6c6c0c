import { bothFloats, fieldsOf, type FloatFields, type Floats, itemsOf, structOf, whole } from '../columns/floats.js'
import { changeOutsideStrings, isInexact } from './exact-json.js'
import type { JsonItem } from './json-items.js'

/** A number with a fraction or an exponent, or one of many digits. */
const float = /-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|-?\d{16,}|-?Infinity|NaN/g
const mayHoldFloat = /\d(?:\.\d|[eE][+-]?\d|\d{15})|Infinity|NaN/
/** JSON has no such characters but as escapes in a text, which are left as they stand. */
const marks = { float: '\u0001', large: '\u0002' } as const

/**
 * Where an object written as JSON has numbers that are written with a fraction or an exponent, also such as `3.0`, which
 * `JSON.parse` takes for 3, and where whole ones that would be rounded.
 */
export function floatsInJson(text: string): FloatFields {
  if (!mayHoldFloat.test(text)) return {}
  const marked = changeOutsideStrings(text, between => between.replace(float, markOf))
  if (marked === text) return {}
  const found = floatsOf(parsed(marked))
  return found !== undefined && found !== true && 'fields' in found ? found.fields : {}
}

function markOf(token: string): string {
  if (/^-?\d+$/.test(token) && !isInexact(token)) return token
  return isInexact(token) ? '"\\u0002"' : '"\\u0001"'
}

/** What is nested too deep is told of where rows are read. */
function floatsOf(value: unknown): Floats | undefined {
  try {
    return floatsIn(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** What is no JSON is told of where rows are read. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function floatsIn(value: unknown): Floats | undefined {
  if (value === marks.float) return true
  if (value === marks.large) return whole
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return structOf(fieldsOf(Object.entries(value), floatsIn))
  const items = value.map(item => structOf(fieldsOf([['item', item]], floatsIn))).filter(item => item !== undefined)
  const all = items.reduce<FloatFields>(
    (sum, item) => (item !== true && 'fields' in item ? bothFloats(sum, item.fields) : sum),
    {},
  )
  return itemsOf(all['item'])
}

/** Which numbers of rows are floating-point ones: what is one in any of them. What is no object is the column `text`. */
export async function floatsOfItems(items: AsyncIterable<JsonItem>): Promise<FloatFields> {
  let floats: FloatFields = {}
  for await (const { text } of items) {
    const own = floatsInJson(text.startsWith('{') ? text : `{"text":${text}}`)
    if (Object.keys(own).length > 0) floats = bothFloats(floats, own)
  }
  return floats
}
