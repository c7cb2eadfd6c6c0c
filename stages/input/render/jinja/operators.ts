import { percentFormatted } from './percent-format.js'
import { printValue } from './print.js'
import {
  Float,
  Foreign,
  listItems,
  numberIn,
  requirePresent,
  Range,
  Time,
  Tuple,
  typeName,
  type Value,
  View,
  Written,
} from './values.js'

/**
 * Evaluates `left operator right` as Python does.
 *
 * @throws Error where Python raises one: a division by zero, a text plus a number.
 */
export function computeArithmetic(operator: string, left: Value, right: Value): Value {
  const [a, b] = [requirePresent(left), requirePresent(right)]
  if (operator === '%' && typeof a === 'string') return percentFormatted(a, b)
  const sequence =
    operator === '+'
      ? joinSequences(a, b)
      : operator === '*'
        ? (repeatSequence(a, b) ?? repeatSequence(b, a))
        : undefined
  if (sequence !== undefined) return sequence
  const [x, y] = [numberIn(a), numberIn(b)]
  if (x === undefined || y === undefined) throw refusal(operator, a, b)
  const isFloat = a instanceof Float || b instanceof Float
  return isFloat ? new Float(ofFloats(operator, x, y)) : ofIntegers(operator, x, y)
}

function refusal(operator: string, a: Value, b: Value): Error {
  if (operator === '+' && (typeof a === 'string' || typeof b === 'string'))
    return new Error('a text and another value are joined by ~, not by +, which Python refuses')
  return new Error(`${typeName(a)} ${operator} ${typeName(b)} is nothing in Python`)
}

function joinSequences(a: Value, b: Value): Value | undefined {
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b]
  return a instanceof Tuple && b instanceof Tuple ? new Tuple([...a.items, ...b.items]) : undefined
}

const longest = 10_000_000

function repeatSequence(a: Value, by: Value): Value | undefined {
  if (typeof by !== 'number' && typeof by !== 'boolean') return undefined
  const count = Math.max(0, Number(by))
  if (typeof a === 'string') {
    if (a.length * count > longest) throw new Error('the text is too long')
    return a.repeat(count)
  }
  const items = Array.isArray(a) ? a : a instanceof Tuple ? a.items : undefined
  if (items === undefined) return undefined
  if (items.length * count > longest) throw new Error('the list is too long')
  const repeated = Array.from({ length: count }, () => items).flat()
  return Array.isArray(a) ? repeated : new Tuple(repeated)
}

function ofIntegers(operator: string, a: number, b: number): Value {
  if (operator === '/') return new Float(a / nonZero(b))
  if (operator === '**' && b < 0) return new Float(nonZero(a) ** b)
  const [x, y] = [BigInt(a), BigInt(b)]
  const value = Number(wholeResult(operator, x, y))
  if (!Number.isSafeInteger(value)) throw new Error(`${a} ${operator} ${b} is too large a number`)
  return value
}

function wholeResult(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '**':
      if (b > 1000n && (a > 1n || a < -1n)) throw new Error(`${a} ** ${b} is too large a number`)
      return a ** b
    default: {
      if (b === 0n) throw new Error('division by zero')
      // Rounds down: the remainder has the sign of the divisor.
      const rest = ((a % b) + b) % b
      return operator === '%' ? rest : (a - rest) / b
    }
  }
}

function ofFloats(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / nonZero(b)
    case '**':
      return power(a, b)
    default: {
      const rest = remainder(a, nonZero(b))
      return operator === '%' ? rest : quotient(a, b, rest)
    }
  }
}

function power(a: number, b: number): number {
  if (a === 0 && b < 0) throw new Error('0.0 has no negative power')
  const value = a ** b
  if (Number.isNaN(value) && !Number.isNaN(a) && !Number.isNaN(b)) {
    if (Math.abs(a) === 1) return 1
    throw new Error(`${a} ** ${b} is no real number`)
  }
  if (!Number.isFinite(value) && Number.isFinite(a) && Number.isFinite(b)) throw new Error('the number is too large')
  return value
}

/** As CPython's `float_divmod`: the remainder has the sign of the divisor, even where it is zero. */
function remainder(a: number, b: number): number {
  const rest = a % b
  if (rest !== 0) return rest < 0 === b < 0 ? rest : rest + b
  return b < 0 ? -0 : 0
}

function quotient(a: number, b: number, rest: number): number {
  const exact = (a - rest) / b
  if (exact === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0
  const down = Math.floor(exact)
  return exact - down > 0.5 ? down + 1 : down
}

function nonZero(value: number): number {
  if (value === 0) throw new Error('division by zero')
  return value
}

export function negateValue(value: Value): Value {
  const presentValue = requirePresent(value)
  if (presentValue instanceof Float) return new Float(-presentValue.value)
  const number = numberIn(presentValue)
  if (number === undefined) throw new Error(`${typeName(presentValue)} has no negative`)
  return number === 0 ? 0 : -number
}

/** Python's `==`: a text never equals a number, and lists are equal where all items are. */
export function areEqual(left: Value, right: Value): boolean {
  const [a, b] = [requirePresent(left), requirePresent(right)]
  const [x, y] = [numberIn(a), numberIn(b)]
  if (x !== undefined && y !== undefined) return x === y
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, item]) => b.has(key) && areEqual(item, b.get(key) ?? null))
  const texts = [findWrittenText(a), findWrittenText(b)]
  if (!texts.includes(undefined)) return texts[0] === texts[1]
  const same =
    (Array.isArray(a) && Array.isArray(b)) || [Tuple, Range, View].some(kind => a instanceof kind && b instanceof kind)
  if (same) return areAllEqual(listItems(a), listItems(b))
  return a instanceof Foreign && b instanceof Foreign ? a.value === b.value : a === b
}

/** Values of some kinds are equal where they print the same. */
const findWrittenText = (value: Value): string | undefined =>
  value instanceof Written ? value.text : value instanceof Time ? value.written.text : undefined

const areAllEqual = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === b.length && a.every((item, at) => areEqual(item, b[at] ?? null))

/**
 * Returns a negative number where `a` is less than `b`, and zero where they are equal.
 * @throws Error where Python defines no order for them.
 */
export function compareOrder(a: Value, b: Value): number {
  const [x, y] = [numberIn(requirePresent(a)), numberIn(requirePresent(b))]
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN
  if (typeof a === 'string' && typeof b === 'string') return byCodePoints(a, b)
  const lists = (Array.isArray(a) && Array.isArray(b)) || (a instanceof Tuple && b instanceof Tuple)
  if (!lists) throw new Error(`${typeName(a)} and ${typeName(b)} have no order`)
  const [left, right] = [listItems(a), listItems(b)]
  for (const [at, item] of left.entries()) {
    const other = right[at]
    if (other === undefined) return 1
    if (!areEqual(item, other)) return compareOrder(item, other)
  }
  return left.length - right.length
}

/** Compares by code points. JavaScript's `<` compares UTF-16 units. */
function byCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)]
  for (const [at, char] of left.entries()) {
    const other = right[at]
    if (other === undefined) return 1
    if (char !== other) return (char.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)
  }
  return left.length - right.length
}

function contains(container: Value, member: Value): boolean {
  const [whole, part] = [requirePresent(container), requirePresent(member)]
  if (typeof whole === 'string') {
    if (typeof part !== 'string') throw new Error(`"in" a text is asked of a text, not of ${typeName(part)}`)
    return whole.includes(part)
  }
  if (whole instanceof Map) return whole.has(part)
  return listItems(whole).some(item => areEqual(item, part))
}

export function compare(operator: string, a: Value, b: Value): boolean {
  switch (operator) {
    case '==':
      return areEqual(a, b)
    case '!=':
      return !areEqual(a, b)
    case 'in':
      return contains(b, a)
    case 'not in':
      return !contains(b, a)
    case '<':
      return compareOrder(a, b) < 0
    case '<=':
      return compareOrder(a, b) <= 0
    case '>':
      return compareOrder(a, b) > 0
    default:
      return compareOrder(a, b) >= 0
  }
}

export const concatenateValues = (values: readonly Value[]): string => values.map(printValue).join('')
