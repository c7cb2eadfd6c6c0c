import { findMember } from './methods.js'
import { printValue } from './print.js'
import { Missing, requirePresent, Range, Tuple, type Value, wholeNumber } from './values.js'

/** Returns the item of a list, text or dictionary; `undefined` where there is none. */
function itemAt(value: Value, key: Value): Value | undefined {
  if (value instanceof Map) return value.get(typeof key === 'boolean' ? Number(key) : key)
  const at = typeof key === 'boolean' ? Number(key) : key
  if (typeof at !== 'number') return undefined
  const items = typeof value === 'string' ? Array.from(value) : listIn(value)
  return items?.at(at)
}

const listIn = (value: Value): readonly Value[] | undefined =>
  Array.isArray(value) ? value : value instanceof Tuple || value instanceof Range ? value.items : undefined

/**
 * Evaluates `value[from:to:step]`.
 * @throws Error where the value is neither a list nor a text.
 */
export function sliceValue(value: Value, bounds: readonly [Value, Value, Value]): Value {
  const items: readonly Value[] | undefined = typeof value === 'string' ? Array.from(value) : listIn(value)
  if (items === undefined) throw new Error('only lists and texts have parts [from:to]')
  const positions = indices(items.length, bounds)
  if (value instanceof Range) return sliceRange(value, positions, bounds)
  const slice = positions.flatMap(at => {
    const item = items[at]
    return item === undefined ? [] : [item]
  })
  if (typeof value === 'string') return slice.map(printValue).join('')
  return value instanceof Tuple ? new Tuple(slice) : slice
}

/** A slice of a range is a range. */
function sliceRange(
  { bounds: [start = 0, , step = 1] }: Range,
  positions: readonly number[],
  by: readonly Value[],
): Range {
  const [first = 0] = positions
  const jump = step * (typeof by[2] === 'number' ? by[2] : 1)
  return new Range(start + first * step, start + first * step + positions.length * jump, jump)
}

function indices(length: number, [from, to, by]: readonly [Value, Value, Value]): readonly number[] {
  const step = by === null ? 1 : wholeNumber(by, 'a step')
  if (step === 0) throw new Error('the step of [from:to:step] must not be 0')
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1]
  const place = (bound: Value, otherwise: number): number => {
    if (bound === null) return otherwise
    const at = wholeNumber(bound, 'a bound')
    return Math.min(Math.max(at < 0 ? at + length : at, least), most)
  }
  const start = place(from, step > 0 ? 0 : length - 1)
  const end = place(to, step > 0 ? length : -1)
  const positions: number[] = []
  for (let at = start; step > 0 ? at < end : at > end; at += step) positions.push(at)
  return positions
}

/** Resolves a filter's `attribute="a.b"`: field by field, where digits are an index. */
export function resolveAttribute(item: Value, path: Value, otherwise?: Value): Value {
  const names = typeof path === 'string' ? path.split('.') : [path]
  let value = item
  for (const name of names) {
    const key = typeof name === 'string' && /^\d+$/.test(name) ? Number(name) : name
    value = environmentItem(value, key)
    if (value instanceof Missing && otherwise !== undefined) value = otherwise
  }
  return value
}

/** Evaluates `a["b"]`: an item, else a field, else `Missing`. */
export function environmentItem(value: Value, key: Value): Value {
  const presentValue = requirePresent(value)
  const item = itemAt(presentValue, key)
  if (item !== undefined) return item
  const member = typeof key === 'string' ? findMember(presentValue, key) : undefined
  return member === undefined ? new Missing(missingText(key)) : member
}

/** Evaluates `a.b`: a method or field, else an item, else `Missing`. */
export function environmentField(value: Value, name: string): Value {
  const presentValue = requirePresent(value)
  const member = findMember(presentValue, name)
  if (member !== undefined) return member
  const item = itemAt(presentValue, name)
  return item === undefined ? new Missing(missingText(name)) : item
}

const missingText = (key: Value): string =>
  key instanceof Tuple
    ? 'an item is not there'
    : `"${typeof key === 'string' ? key : JSON.stringify(key)}" is not there`
