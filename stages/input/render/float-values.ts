import type { Floats } from '../datasets/floats.js'
import { Environment, Interpreter, type JinjaValue } from './jinja.js'
import { floatText } from './python-text.js'

/**
 * A value of a template with its floating-point numbers as such: the library takes 5 for an integer wherever it comes from. What is in
 * lists and objects is replaced there.
 */
export function withFloats(one: JinjaValue, floats: Floats): JinjaValue {
  const { type, value } = one
  if (floats === true) return type === 'IntegerValue' ? floatValue(Number(value)) : one
  if ('items' in floats && Array.isArray(value)) {
    const items = value as JinjaValue[]
    for (const [index, item] of items.entries()) items[index] = withFloats(item, floats.items)
  } else if ('fields' in floats && value instanceof Map) {
    const entries = value as Map<string, JinjaValue>
    for (const [name, own] of Object.entries(floats.fields)) {
      const field = entries.get(name)
      if (field !== undefined) entries.set(name, withFloats(field, own))
    }
  }
  return one
}

const environment = new Environment()
const interpreter = new Interpreter(environment)

const floatValue = (value: number): JinjaValue => interpreter.evaluate({ type: 'FloatLiteral', value }, environment)

/** A value with its floating-point numbers as texts, as Python prints them. */
export function withFloatTexts(value: unknown, floats: Floats): unknown {
  if (typeof value === 'number') return floats === true ? floatText(value) : value
  if (floats === true || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return 'items' in floats ? value.map(item => withFloatTexts(item, floats.items)) : value
  if (!('fields' in floats)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const own = floats.fields[name]
      return [name, own === undefined ? item : withFloatTexts(item, own)]
    }),
  )
}
