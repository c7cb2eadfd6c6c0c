import { shown } from './print.js'
import { Range, Tuple, wholeNumber, type Value } from './values.js'

/** The item of a list, text or dictionary; `undefined` where there is none. */
export function itemAt(value: Value, key: Value): Value | undefined {
  if (value instanceof Map) return value.get(typeof key === 'boolean' ? Number(key) : key)
  const at = typeof key === 'boolean' ? Number(key) : key
  if (typeof at !== 'number') return undefined
  const items = typeof value === 'string' ? Array.from(value) : listIn(value)
  return items?.at(at)
}

const listIn = (value: Value): readonly Value[] | undefined =>
  Array.isArray(value) ? value : value instanceof Tuple || value instanceof Range ? value.items : undefined

/** `value[from:to:step]`. @throws Error where it has no parts. */
export function sliced(value: Value, bounds: readonly [Value, Value, Value]): Value {
  const items: readonly Value[] | undefined = typeof value === 'string' ? Array.from(value) : listIn(value)
  if (items === undefined) throw new Error('only lists and texts have parts [from:to]')
  const places = indices(items.length, bounds)
  if (value instanceof Range) return partOf(value, places, bounds)
  const taken = places.flatMap(at => {
    const item = items[at]
    return item === undefined ? [] : [item]
  })
  if (typeof value === 'string') return taken.map(shown).join('')
  return value instanceof Tuple ? new Tuple(taken) : taken
}

/** A part of a range is a range. */
function partOf({ bounds: [start = 0, , step = 1] }: Range, places: readonly number[], by: readonly Value[]): Range {
  const [first = 0] = places
  const jump = step * (typeof by[2] === 'number' ? by[2] : 1)
  return new Range(start + first * step, start + first * step + places.length * jump, jump)
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
  const all: number[] = []
  for (let at = start; step > 0 ? at < end : at > end; at += step) all.push(at)
  return all
}
