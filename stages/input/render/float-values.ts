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
  if ('whole' in floats) return type === 'StringValue' ? Object.assign(one, { repr: value }) : one
  if ('digits' in floats) return decimalValue(one, floats.digits)
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
function decimalValue(one: JinjaValue, digits: number): JinjaValue {
  const { value } = one
  if (typeof value !== 'number' && typeof value !== 'string') return one
  const text = decimalText(value, digits)
  return Object.assign(typeof value === 'number' ? floatValue(value) : one, { text, repr: `Decimal('${text}')` })
}

/** As Python prints a decimal number: with an exponent where it begins beyond the sixth digit behind the point. */
function decimalText(value: number | string, digits: number): string {
  const text = typeof value === 'string' ? value : value.toFixed(digits)
  const leading = /^(-?)0\.(0{6,})(\d*)$/.exec(text)
  if (leading === null) return text
  const [, sign = '', zeros = '', rest = ''] = leading
  const [first = '0', ...others] = rest
  const exponent = rest === '' ? zeros.length : zeros.length + 1
  return `${sign}${first}${others.length === 0 ? '' : `.${others.join('')}`}E-${exponent}`
}

const floatValue = (value: number): JinjaValue => interpreter.evaluate({ type: 'FloatLiteral', value }, environment)

/** A value with its floating-point and decimal numbers as texts, as Python prints them. */
export const withFloatTexts = (value: unknown, floats: Floats): unknown =>
  mapNumbers(value, floats, (one, of) => {
    if (typeof one !== 'number') return one
    if (of === true) return floatText(one)
    return 'digits' in of ? decimalText(one, of.digits) : one
  })
