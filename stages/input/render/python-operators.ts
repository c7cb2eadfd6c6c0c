import type { JinjaValue } from './jinja.js'
import { pythonText } from './python-text.js'

/** A plain result, and whether it is a number with a fraction in Python's eyes. */
export type Plain = string | boolean | { readonly integer: number } | { readonly float: number }

/**
 * What Python makes of `left operator right`, where the template library makes something else of it or nothing; `undefined` where it
 * makes the same.
 *
 * @throws Error where Python has no value for it: a division by zero, a text plus a number.
 */
export function pythonOperator(operator: string, left: JinjaValue, right: JinjaValue): Plain | undefined {
  switch (operator) {
    case '==':
      return areEqual(left, right)
    case '!=':
      return !areEqual(left, right)
    case '~':
      return pythonText(left) + pythonText(right)
    case '+':
      if (isText(left) && isText(right)) return String(left.value) + String(right.value)
      if (isText(left) || isText(right))
        throw new Error('a text and another value are joined by ~, not by +, which Python refuses')
      return sum(left, right)
    case 'in':
    case 'not in':
      return isList(right) ? itemsOf(right).some(item => areEqual(item, left)) === (operator === 'in') : undefined
    case '/':
    case '//':
    case '%':
      return isNumber(left) && isNumber(right) ? quotient(operator, left, right) : undefined
    default:
      return undefined
  }
}

/** What {@link pythonOperator} looks at. */
export const pythonOperators: ReadonlySet<string> = new Set(['==', '!=', '~', '+', 'in', 'not in', '/', '//', '%'])

function sum(left: JinjaValue, right: JinjaValue): Plain | undefined {
  if (!isNumber(left) || !isNumber(right)) return undefined
  const value = Number(left.value) + Number(right.value)
  return hasFraction(left, right) ? { float: value } : { integer: value }
}

function quotient(operator: '/' | '//' | '%', left: JinjaValue, right: JinjaValue): Plain {
  const a = Number(left.value)
  const b = Number(right.value)
  if (b === 0) throw new Error('division by zero')
  if (operator === '/') return { float: a / b }
  // The remainder has the sign of the divisor.
  const result = operator === '//' ? Math.floor(a / b) : a - b * Math.floor(a / b)
  return hasFraction(left, right) ? { float: result } : { integer: result }
}

/** Python's `==`: a text is never a number, and lists are equal whose items are. */
export function areEqual(a: JinjaValue, b: JinjaValue): boolean {
  if (isNumber(a) && isNumber(b)) return Number(a.value) === Number(b.value)
  if (a.type !== b.type) return false
  if (a.text !== undefined && b.text !== undefined) return a.text === b.text
  if (isList(a)) {
    const [left, right] = [itemsOf(a), itemsOf(b)]
    return left.length === right.length && left.every((item, index) => areEqual(item, right[index] ?? item))
  }
  return a.value instanceof Map && b.value instanceof Map ? areEqualMaps(a.value, b.value) : a.value === b.value
}

type Entries = ReadonlyMap<unknown, JinjaValue>

const areEqualMaps = (a: Entries, b: Entries): boolean =>
  a.size === b.size &&
  [...a].every(([key, value]) => {
    const other = b.get(key)
    return other !== undefined && areEqual(value, other)
  })

const isText = ({ type }: JinjaValue): boolean => type === 'StringValue'

const hasFraction = (...values: readonly JinjaValue[]): boolean => values.some(({ type }) => type === 'FloatValue')

/** Truths are numbers, too. */
const isNumber = ({ type }: JinjaValue): boolean => /^(Integer|Float|Boolean)Value$/.test(type)

export const isList = ({ type }: JinjaValue): boolean => type === 'ArrayValue' || type === 'TupleValue'

export const itemsOf = ({ value }: JinjaValue): readonly JinjaValue[] => value as readonly JinjaValue[]
