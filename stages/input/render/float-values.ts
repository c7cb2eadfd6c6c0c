import { mapNumbers, type Floats } from '../datasets/columns/floats.js'
import { floatText } from './python-text.js'

/** As Python prints a decimal number: with an exponent where it begins beyond the sixth digit behind the point. */
export function decimalText(value: number | string, digits: number): string {
  const text = typeof value === 'string' ? value : value.toFixed(digits)
  const leading = /^(-?)0\.(0{6,})(\d*)$/.exec(text)
  if (leading === null) return text
  const [, sign = '', zeros = '', rest = ''] = leading
  const [first = '0', ...others] = rest
  const exponent = rest === '' ? zeros.length : zeros.length + 1
  return `${sign}${first}${others.length === 0 ? '' : `.${others.join('')}`}E-${exponent}`
}

/** A value with its floating-point and decimal numbers as texts, as Python prints them. */
export const withFloatTexts = (value: unknown, floats: Floats): unknown =>
  mapNumbers(value, floats, (one, of) => {
    if (typeof one !== 'number') return one
    if (of === true) return floatText(one)
    return 'digits' in of ? decimalText(one, of.digits) : one
  })
