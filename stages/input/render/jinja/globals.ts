import { bound } from './bind-arguments.js'
import { shown } from './print.js'
import {
  Callable,
  Namespace,
  Range,
  Tuple,
  itemsOf,
  wholeNumber,
  type Arguments,
  type Dict,
  type Value,
} from './values.js'

/** What every template can call. No clock and no chance is among it: a prompt must not depend on when it was made. */
export const globals: readonly (readonly [string, Value])[] = [
  new Callable('range', ({ positional }) => {
    const [first = 0, second, by = 1] = positional.map(value => wholeNumber(value, 'a bound of range'))
    return second === undefined ? new Range(0, first, 1) : new Range(first, second, by)
  }),
  new Callable('dict', dictOf),
  new Callable('namespace', args => {
    const space = new Namespace()
    for (const [name, value] of dictOf(args)) space.fields.set(shown(name), value)
    return space
  }),
  new Callable('cycler', ({ positional }) => cycler(positional)),
  new Callable('joiner', args => {
    const [between = ', '] = bound('joiner', ['sep'], args)
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
    throw new Error(shown(message))
  }),
].map(one => [one.name, one])

function dictOf({ positional: [first], named }: Arguments): Dict {
  const entries: readonly (readonly [Value, Value])[] =
    first === undefined ? [] : first instanceof Map ? [...first] : itemsOf(first).map(pair)
  return new Map([...entries, ...named])
}

function pair(value: Value): readonly [Value, Value] {
  const [key, item] = value instanceof Tuple ? value.items : itemsOf(value)
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
