import { didYouMean } from '../../../../base/text/suggest.js'

/**
 * A value of a template, as Python has it. A JavaScript number is an integer, an array is a list and a map is a
 * dictionary.
 */
export type Value =
  | null
  | boolean
  | string
  | number
  | Float
  | Written
  | Time
  | Value[]
  | Tuple
  | Dict
  | View
  | Range
  | Stream
  | Callable
  | Namespace
  | Loop
  | Missing
  | Foreign

export type Dict = Map<Value, Value>

export class Float {
  readonly value: number
  /** The printed form, where it does not follow from the value. */
  readonly written: Written | undefined

  constructor(value: number, written?: Written) {
    this.value = value
    this.written = written
  }
}

/** A number beyond JavaScript's precision, kept as text. */
export class Written {
  readonly text: string
  /** The form printed inside a list. */
  readonly repr: string

  constructor(text: string, repr = text) {
    this.text = text
    this.repr = repr
  }
}

/** A time with its fields and methods, such as `.year`. */
export class Time {
  readonly written: Written
  readonly fields: ReadonlyMap<string, Value>

  constructor(written: Written, fields: ReadonlyMap<string, Value>) {
    this.written = written
    this.fields = fields
  }
}

export class Tuple {
  readonly items: readonly Value[]
  /** Names that items can also be reached by, as in a named tuple. */
  readonly names: readonly string[]

  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items
    this.names = names
  }
}

/** The result of `dict.items()`, `dict.keys()` or `dict.values()`. */
export class View {
  readonly kind: 'items' | 'keys' | 'values'
  readonly items: readonly Value[]

  constructor(kind: View['kind'], items: readonly Value[]) {
    this.kind = kind
    this.items = items
  }
}

export class Range {
  readonly bounds: readonly number[]
  readonly items: readonly number[]

  constructor(start: number, stop: number, step: number) {
    if (step === 0) throw new Error('range: the step must not be 0')
    const count = Math.max(0, Math.ceil((stop - start) / step))
    if (count > mostItems) throw new Error(`range: ${count} numbers are too many`)
    this.bounds = [start, stop, ...(step === 1 ? [] : [step])]
    this.items = Array.from({ length: count }, (_, at) => start + at * step)
  }
}

const mostItems = 1_000_000

/** A generator, whose items can be read once. */
export class Stream {
  /** True if Python can iterate over it from its end. */
  readonly isReversible: boolean
  #items: readonly Value[]

  constructor(items: readonly Value[], isReversible = false) {
    this.#items = items
    this.isReversible = isReversible
  }

  take(): readonly Value[] {
    const items = this.#items
    this.#items = []
    return items
  }
}

export interface Arguments {
  readonly positional: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
}

export class Callable {
  readonly name: string
  readonly call: (args: Arguments) => Value
  readonly fields: ReadonlyMap<string, Value>

  constructor(name: string, call: Callable['call'], fields: ReadonlyMap<string, Value> = new Map()) {
    this.name = name
    this.call = call
    this.fields = fields
  }
}

export class Namespace {
  readonly fields = new Map<string, Value>()
}

export class Loop {
  readonly items: readonly Value[]
  readonly depth: number
  /** Renders the loop over nested items, in a loop that is `recursive`. */
  readonly again: ((items: Value) => string) | undefined
  at = 0
  /** The arguments of the last call of `loop.changed`. */
  changed: readonly Value[] | undefined

  constructor(items: readonly Value[], depth: number, again?: (items: Value) => string) {
    this.items = items
    this.depth = depth
    this.again = again
  }
}

/** An undefined value. Any use of it is an error, except `is defined` and `default`. */
export class Missing {
  readonly message: string
  /** The result of a condition without an `else` prints as nothing and is false. */
  readonly isEmpty: boolean

  constructor(message: string, isEmpty = false) {
    this.message = message
    this.isEmpty = isEmpty
  }
}

/** A value that templates cannot use, such as the bytes of a medium. */
export class Foreign {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

/** @throws Error where the value is missing. */
export function requirePresent<T extends Value>(value: T): Exclude<T, Missing> {
  if (value instanceof Missing) throw new Error(value.message)
  return value as Exclude<T, Missing>
}

/** Names the type of a value in messages. */
export function typeName(value: Value): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return 'a truth value'
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'number' || value instanceof Float || value instanceof Written) return 'a number'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Tuple) return 'a tuple'
  if (value instanceof Map) return 'a dictionary'
  if (value instanceof Callable) return 'a function'
  if (value instanceof Stream) return 'a generator'
  return value instanceof View || value instanceof Range ? 'a sequence' : 'an object'
}

/**
 * Returns the items that a loop iterates over.
 * @throws Error where the value cannot be iterated.
 */
export function listItems(value: Value): readonly Value[] {
  if (value instanceof Missing && value.isEmpty) return []
  const presentValue = requirePresent(value)
  if (typeof presentValue === 'string') return Array.from(presentValue)
  if (Array.isArray(presentValue)) return presentValue
  if (presentValue instanceof Map) return [...presentValue.keys()]
  if (presentValue instanceof Tuple || presentValue instanceof View || presentValue instanceof Range)
    return presentValue.items
  if (presentValue instanceof Stream) return presentValue.take()
  throw new Error(`${typeName(presentValue)} has no items to go through`)
}

export const isIterable = (value: Value): boolean =>
  typeof value === 'string' ||
  Array.isArray(value) ||
  [Map, Tuple, View, Range, Stream].some(kind => value instanceof kind)

/** @throws Error where the value has no length. */
export function countItems(value: Value): number {
  if (value instanceof Missing && value.isEmpty) return 0
  const presentValue = requirePresent(value)
  if (presentValue instanceof Map) return presentValue.size
  if (presentValue instanceof Stream || !isIterable(presentValue))
    throw new Error(`${typeName(presentValue)} has no length`)
  return listItems(presentValue).length
}

export function isTrue(value: Value): boolean {
  if (value instanceof Missing && value.isEmpty) return false
  const presentValue = requirePresent(value)
  if (presentValue === null || typeof presentValue === 'boolean') return presentValue === true
  if (typeof presentValue === 'number') return presentValue !== 0
  if (presentValue instanceof Float) return presentValue.value !== 0
  if (presentValue instanceof Stream || !isIterable(presentValue)) return true
  return countItems(presentValue) > 0
}

/** Returns the number of an integer, truth value or floating-point number; `undefined` of other values. */
export function numberIn(value: Value): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return value instanceof Float ? value.value : undefined
}

/** @throws Error where the value is not an integer. */
export function wholeNumber(value: Value, what: string): number {
  const number = typeof value === 'boolean' ? Number(value) : requirePresent(value)
  if (typeof number === 'number') return number
  throw new Error(`${what} must be a whole number, not ${typeName(number)}`)
}

/** @throws Error where the value is not a text. */
export function textIn(value: Value, what: string): string {
  const presentValue = requirePresent(value)
  if (typeof presentValue === 'string') return presentValue
  throw new Error(`${what} must be a text, not ${typeName(presentValue)}`)
}

/**
 * Puts arguments in the order of a function's parameters.
 * @throws Error where an argument fits no parameter.
 */
export function bindArguments(
  name: string,
  parameters: readonly string[],
  { positional, named }: Arguments,
): readonly (Value | undefined)[] {
  if (positional.length > parameters.length)
    throw new Error(`${name} takes ${parameters.length} arguments, not ${positional.length}`)
  const values: (Value | undefined)[] = parameters.map((_, at) => positional[at])
  for (const [key, value] of named) {
    const at = parameters.indexOf(key)
    if (at < 0) throw new Error(`${name} has no argument "${key}".${didYouMean(key, parameters)}`)
    if (at < positional.length) throw new Error(`${name}: the argument "${key}" is given twice`)
    values[at] = value
  }
  return values
}

/** Lets a filter call other filters and tests by name. */
export interface Names {
  filter(name: string, on: Value, args: Arguments): Value
  test(name: string, on: Value, args: Arguments): boolean
}

/** A filter with the names of its parameters. */
export interface Filter {
  readonly parameters: readonly string[]
  readonly call: (on: Value, given: readonly (Value | undefined)[], names: Names) => Value
}

/** A filter that takes any arguments. */
export interface OpenFilter {
  readonly open: (on: Value, args: Arguments, names: Names) => Value
}
