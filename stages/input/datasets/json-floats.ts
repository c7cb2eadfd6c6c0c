import { bothFloats, fieldsOf, itemsOf, structOf, type FloatFields, type Floats } from './floats.js'

/** A number with a fraction or an exponent, or what may hold one: a text. */
const stringOrFloat = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)/g
const mayHoldFloat = /\d(?:\.\d|[eE][+-]?\d)/
/** JSON has no such character but as an escape in a text, which is left as it stands. */
const mark = '\u0001'

/**
 * Where an object written as JSON has numbers that are written with a fraction or an exponent, also such as `3.0`, which
 * `JSON.parse` takes for 3.
 */
export function floatsInJson(text: string): FloatFields {
  if (!mayHoldFloat.test(text)) return {}
  const marked = text.replace(stringOrFloat, token => (token.startsWith('"') ? token : `"\\u0001"`))
  if (marked === text) return {}
  const found = floatsIn(parsed(marked))
  return found !== undefined && found !== true && 'fields' in found ? found.fields : {}
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
  if (value === mark) return true
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return structOf(fieldsOf(Object.entries(value), floatsIn))
  const items = value.map(item => structOf(fieldsOf([['item', item]], floatsIn))).filter(item => item !== undefined)
  const all = items.reduce<FloatFields>(
    (sum, item) => (item !== true && 'fields' in item ? bothFloats(sum, item.fields) : sum),
    {},
  )
  return itemsOf(all['item'])
}
