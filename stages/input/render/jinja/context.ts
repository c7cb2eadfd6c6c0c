import { ownValue } from '../../../../base/values/named-values.js'
import { type FloatLeaf, type Floats, isLeaf } from '../../datasets/columns/floats.js'
import { decimalText } from '../../../../base/python/python-text.js'
import { timeValue } from '../time-values.js'
import { printValue } from './print.js'
import {
  type Arguments,
  bindArguments,
  Callable,
  type Dict,
  Float,
  Foreign,
  listItems,
  Namespace,
  Range,
  Tuple,
  type Value,
  wholeNumber,
  Written,
} from './values.js'

/**
 * Converts a field of a doc to the value that a template sees. `floats` says which numbers are floating-point (5
 * prints as `5.0`) and which texts are times.
 */
export function fromDoc(value: unknown, floats?: Floats): Value {
  if (value === undefined || value === null) return null
  const leaf = floats !== undefined && isLeaf(floats) ? floats : undefined
  if (typeof value === 'boolean') return value
  if (typeof value === 'string') return leaf === undefined || leaf === true ? value : fromText(value, leaf)
  if (typeof value === 'number') return fromNumber(value, leaf)
  if (typeof value === 'bigint') return new Written(String(value))
  const items = floats !== undefined && floats !== true && 'items' in floats ? floats.items : undefined
  if (Array.isArray(value)) return value.map((item: unknown) => fromDoc(item, items))
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) return new Foreign(value)
  const fields = floats !== undefined && floats !== true && 'fields' in floats ? floats.fields : {}
  return new Map(Object.entries(value).map(([name, item]) => [name, fromDoc(item, ownValue(fields, name))]))
}

function fromText(text: string, leaf: Exclude<FloatLeaf, true>): Value {
  if ('whole' in leaf) return new Written(text)
  return 'digits' in leaf ? decimal(text, leaf.digits) : (timeValue(text, leaf.time) ?? text)
}

/** A decimal is calculated with as a number and printed with all of its digits. */
function fromNumber(value: number, leaf: FloatLeaf | undefined): Value {
  if (leaf !== undefined && leaf !== true && 'digits' in leaf) return new Float(value, decimal(value, leaf.digits))
  return leaf === true || !Number.isInteger(value) ? new Float(value) : value
}

function decimal(value: number | string, digits: number): Written {
  const text = decimalText(value, digits)
  return new Written(text, `Decimal('${text}')`)
}

/**
 * Functions that every template can call. None depends on a clock or on chance: a prompt must be the same each time.
 */
export const globals: readonly (readonly [string, Value])[] = [
  new Callable('range', ({ positional }) => {
    const [first = 0, second, by = 1] = positional.map(value => wholeNumber(value, 'a bound of range'))
    return second === undefined ? new Range(0, first, 1) : new Range(first, second, by)
  }),
  new Callable('dict', makeDict),
  new Callable('namespace', args => {
    const space = new Namespace()
    for (const [name, value] of makeDict(args)) space.fields.set(printValue(name), value)
    return space
  }),
  new Callable('cycler', ({ positional }) => cycler(positional)),
  new Callable('joiner', args => {
    const [between = ', '] = bindArguments('joiner', ['sep'], args)
    let isUsed = false
    return new Callable('joiner', () => {
      const text = isUsed ? between : ''
      isUsed = true
      return text
    })
  }),
  new Callable('self', () => {
    throw new Error('"self" is no function')
  }),
  new Callable('raise_exception', ({ positional: [message = ''] }) => {
    throw new Error(printValue(message))
  }),
].map(callable => [callable.name, callable])

function makeDict({ positional: [first], named }: Arguments): Dict {
  const entries: readonly (readonly [Value, Value])[] =
    first === undefined ? [] : first instanceof Map ? [...first] : listItems(first).map(pair)
  return new Map([...entries, ...named])
}

function pair(value: Value): readonly [Value, Value] {
  const [key, item] = value instanceof Tuple ? value.items : listItems(value)
  if (key === undefined || item === undefined) throw new Error('dict needs pairs')
  return [key, item]
}

function cycler(items: readonly Value[]): Callable {
  let at = 0
  const fields = new Map<string, Value>()
  const now = (): Value => items[at % items.length] ?? null
  const move = (value: Value, to: number): Value => {
    at = to
    fields.set('current', now())
    return value
  }
  fields.set('next', new Callable('next', () => move(now(), at + 1)))
  fields.set('reset', new Callable('reset', () => move(null, 0)))
  move(null, 0)
  return new Callable('cycler', now, fields)
}
