import { didYouMean } from '../../../../base/text/suggest.js'
import {
  bindArguments,
  Callable,
  type Dict,
  Float,
  listItems,
  Loop,
  Namespace,
  Time,
  Tuple,
  type Value,
  View,
  wholeNumber,
} from './values.js'
import { areEqual } from './operators.js'
import { printRepr, printValue } from './print.js'
import { formatMethod, textMethods, type Method } from './text-methods.js'

const first = (value: Value | undefined, name: string): Value => {
  if (value === undefined) throw new Error(`${name} needs a value`)
  return value
}

const sequenceMethods: Readonly<Record<string, Method<readonly Value[]>>> = {
  index: {
    parameters: ['value'],
    call(on, [value]) {
      const at = on.findIndex(item => areEqual(item, first(value, 'index')))
      if (at < 0) throw new Error(`${printRepr(first(value, 'index'))} is not in the list`)
      return at
    },
  },
  count: {
    parameters: ['value'],
    call: (on, [value]) => on.filter(item => areEqual(item, first(value, 'count'))).length,
  },
}

const listMethods: Readonly<Record<string, Method<Value[]>>> = {
  ...sequenceMethods,
  append: { parameters: ['object'], call: (on, [item]) => (on.push(first(item, 'append')), null) },
  extend: { parameters: ['iterable'], call: (on, [items]) => (on.push(...listItems(first(items, 'extend'))), null) },
  insert: {
    parameters: ['index', 'object'],
    call: (on, [at, item]) => (
      on.splice(wholeNumber(first(at, 'insert'), 'the index'), 0, first(item, 'insert')),
      null
    ),
  },
  pop: {
    parameters: ['index'],
    call(on, [at]) {
      const [item] = on.splice(at === undefined ? -1 : wholeNumber(at, 'the index'), 1)
      return first(item, 'pop of an empty list')
    },
  },
  reverse: { parameters: [], call: on => (on.reverse(), null) },
  copy: { parameters: [], call: on => [...on] },
  clear: { parameters: [], call: on => (on.splice(0), null) },
}

const pairs = (on: Dict): readonly Value[] => [...on].map(([key, value]) => new Tuple([key, value]))

const dictMethods: Readonly<Record<string, Method<Dict>>> = {
  items: { parameters: [], call: on => new View('items', pairs(on)) },
  keys: { parameters: [], call: on => new View('keys', [...on.keys()]) },
  values: { parameters: [], call: on => new View('values', [...on.values()]) },
  get: {
    parameters: ['key', 'default'],
    call(on, [key, otherwise = null]) {
      const value = on.get(first(key, 'get'))
      return value === undefined ? otherwise : value
    },
  },
  copy: { parameters: [], call: on => new Map(on) },
  update: {
    parameters: ['other'],
    call(on, [other]) {
      if (!(other instanceof Map)) throw new Error('update needs a dictionary')
      for (const [key, value] of other) on.set(key, value)
      return null
    },
  },
  pop: {
    parameters: ['key', 'default'],
    call(on, [key, otherwise]) {
      const name = first(key, 'pop')
      const value = on.get(name)
      on.delete(name)
      return value === undefined ? first(otherwise, `pop: ${printRepr(name)} is not there,`) : value
    },
  },
  setdefault: {
    parameters: ['key', 'default'],
    call(on, [key, otherwise = null]) {
      const name = first(key, 'setdefault')
      if (!on.has(name)) on.set(name, otherwise)
      return on.get(name) ?? null
    },
  },
}

const numberMethods: Readonly<Record<string, Method<Float | number>>> = {
  is_integer: { parameters: [], call: on => Number.isInteger(on instanceof Float ? on.value : on) },
}

/** Returns a method or field of a value; `undefined` where it has none of that name. */
export function findMember(value: Value, name: string): Value | undefined {
  if (typeof value === 'string')
    return name === 'format' || name === 'format_map'
      ? new Callable(name, args =>
          formatMethod(value, name === 'format' ? args : makeNamedArguments(args.positional[0])),
        )
      : method(textMethods, value, name)
  if (Array.isArray(value)) return method(listMethods, value, name)
  if (value instanceof Tuple) {
    const at = value.names.indexOf(name)
    return at < 0 ? method(sequenceMethods, value.items, name) : value.items[at]
  }
  if (value instanceof Map) return method(dictMethods, value, name)
  if (value instanceof Float || typeof value === 'number') return method(numberMethods, value, name)
  if (value instanceof Namespace || value instanceof Callable || value instanceof Time) return value.fields.get(name)
  return value instanceof Loop ? loopMember(value, name) : undefined
}

const makeNamedArguments = (
  value: Value | undefined,
): { positional: readonly Value[]; named: ReadonlyMap<string, Value> } => ({
  positional: [],
  named: value instanceof Map ? new Map([...value].map(([key, item]) => [printValue(key), item])) : new Map(),
})

function method<T>(methods: Readonly<Record<string, Method<T>>>, on: T, name: string): Value | undefined {
  const definition = Object.hasOwn(methods, name) ? methods[name] : undefined
  if (definition === undefined) return undefined
  return new Callable(name, args => definition.call(on, bindArguments(name, definition.parameters, args)))
}

/** Returns ` Did you mean "…"?` for a method that a value does not have. */
export function nearestMethod(value: Value, name: string): string {
  const methods =
    typeof value === 'string'
      ? textMethods
      : Array.isArray(value)
        ? listMethods
        : value instanceof Map
          ? dictMethods
          : {}
  return didYouMean(name, Object.keys(methods))
}

function loopMember(loop: Loop, name: string): Value | undefined {
  const { at, items, depth } = loop
  const near = (index: number): Value | undefined => items[index]
  switch (name) {
    case 'index':
      return at + 1
    case 'index0':
      return at
    case 'revindex':
      return items.length - at
    case 'revindex0':
      return items.length - at - 1
    case 'first':
      return at === 0
    case 'last':
      return at === items.length - 1
    case 'length':
      return items.length
    case 'depth':
      return depth + 1
    case 'depth0':
      return depth
    case 'previtem':
      return near(at - 1)
    case 'nextitem':
      return near(at + 1)
    case 'cycle':
      return new Callable('cycle', ({ positional }) => first(positional[at % positional.length], 'cycle'))
    case 'changed':
      return new Callable('changed', ({ positional }) => hasChanged(loop, positional))
    default:
      return undefined
  }
}

function hasChanged(loop: Loop, values: readonly Value[]): boolean {
  const { changed: before } = loop
  loop.changed = values
  return before === undefined || !areEqual([...before], [...values])
}
