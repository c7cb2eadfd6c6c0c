import { mapNumbers, type Floats } from '../datasets/floats.js'
import { Environment, Interpreter, type JinjaValue } from './jinja.js'
import { floatText } from './python-text.js'
import { timeValue } from './time-values.js'

/**
 * A value of a template with its floating-point numbers and times as such: the library takes 5 for an integer wherever it comes from,
 * and a time for a text. What is in lists and objects is replaced there.
 */
export function withFloats(one: JinjaValue, floats: Floats): JinjaValue {
  const { type, value } = one
  if (floats === true) return type === 'IntegerValue' ? floatValue(Number(value)) : one
  if ('digits' in floats) return typeof value === 'number' ? decimalValue(value, floats.digits) : one
  if ('time' in floats) return (type === 'StringValue' ? timeValue(String(value), floats.time) : undefined) ?? one
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

/** It is reckoned with as a number, and shown with all of its digits. */
const decimalValue = (value: number, digits: number): JinjaValue =>
  Object.assign(floatValue(value), { text: value.toFixed(digits), repr: `Decimal('${value.toFixed(digits)}')` })

const floatValue = (value: number): JinjaValue => interpreter.evaluate({ type: 'FloatLiteral', value }, environment)

/** A value with its floating-point and decimal numbers as texts, as Python prints them. */
export const withFloatTexts = (value: unknown, floats: Floats): unknown =>
  mapNumbers(value, floats, (one, of) => {
    if (typeof one === 'string' || (of !== true && 'time' in of)) return one
    return of === true ? floatText(one) : one.toFixed(of.digits)
  })
