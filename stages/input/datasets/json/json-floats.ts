import {
  bothFloats,
  collectFloatFields,
  type FloatFields,
  type Floats,
  makeItemFloats,
  makeFieldFloats,
  whole,
} from '../columns/floats.js'
import { changeOutsideStrings, isInexact } from './exact-json.js'
import type { JsonItem } from './json-items.js'

/** Matches a number with a fraction or an exponent, or an integer with many digits. */
const float = /-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)|-?\d{16,}|-?Infinity|NaN/g
const mayHoldFloat = /\d(?:\.\d|[eE][+-]?\d|\d{15})|Infinity|NaN/
/** Characters that JSON texts contain only as escapes, which are not changed. */
const marks = { float: '\u0001', large: '\u0002' } as const

/**
 * Finds the numbers of a JSON object that are written with a fraction or an exponent, and integers that would be
 * rounded. `JSON.parse` alone would read `3.0` as 3.
 */
export function floatsInJson(text: string): FloatFields {
  if (!mayHoldFloat.test(text)) return {}
  const marked = changeOutsideStrings(text, between => between.replace(float, markNumber))
  if (marked === text) return {}
  const floats = describeFloats(parseJson(marked))
  return floats !== undefined && floats !== true && 'fields' in floats ? floats.fields : {}
}

function markNumber(token: string): string {
  if (/^-?\d+$/.test(token) && !isInexact(token)) return token
  return isInexact(token) ? '"\\u0002"' : '"\\u0001"'
}

/** Describes the numbers of a value. Too deeply nested values are ignored here and reported when the rows are read. */
function describeFloats(value: unknown): Floats | undefined {
  try {
    return floatsIn(value)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/** Parses JSON. Invalid JSON is reported when the rows are read. */
function parseJson(text: string): unknown {
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
  if (!Array.isArray(value)) return makeFieldFloats(collectFloatFields(Object.entries(value), floatsIn))
  const items = value
    .map(item => makeFieldFloats(collectFloatFields([['item', item]], floatsIn)))
    .filter(item => item !== undefined)
  const itemFields = items.reduce<FloatFields>(
    (sum, item) => (item !== true && 'fields' in item ? bothFloats(sum, item.fields) : sum),
    {},
  )
  return makeItemFloats(itemFields['item'])
}

/** Finds the floating-point fields of rows. A field is floating-point if it is in any row. A row that is not an object becomes the column `text`. */
export async function floatsOfItems(items: AsyncIterable<JsonItem>): Promise<FloatFields> {
  let floats: FloatFields = {}
  for await (const { text } of items) {
    const own = floatsInJson(text.startsWith('{') ? text : `{"text":${text}}`)
    if (Object.keys(own).length > 0) floats = bothFloats(floats, own)
  }
  return floats
}
