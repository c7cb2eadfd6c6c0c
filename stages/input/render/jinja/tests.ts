import { areEqual, compare, calculated } from './operators.js'
import { filterNames, testNames } from './known-names.js'
import { shown } from './print.js'
import { isLower, isUpper } from './text-case.js'
import { Callable, Float, Missing, isIterable, numberIn, present, Range, Tuple, type Value } from './values.js'

type Test = (on: Value, to: Value) => boolean

const isNumber = (value: Value): boolean => numberIn(value) !== undefined

const tests: Readonly<Record<string, Test>> = {
  defined: on => !(on instanceof Missing),
  undefined: on => on instanceof Missing,
  none: on => on === null,
  boolean: on => typeof on === 'boolean',
  true: on => on === true,
  false: on => on === false,
  integer: on => typeof on === 'number',
  float: on => on instanceof Float,
  number: isNumber,
  string: on => typeof on === 'string',
  mapping: on => on instanceof Map,
  iterable: on => isIterable(present(on)),
  sequence: on =>
    typeof on === 'string' || Array.isArray(on) || on instanceof Map || on instanceof Tuple || on instanceof Range,
  callable: on => on instanceof Callable || on instanceof Missing,
  odd: on => areEqual(calculated('%', on, 2), 1),
  even: on => areEqual(calculated('%', on, 2), 0),
  divisibleby: (on, by) => areEqual(calculated('%', on, by), 0),
  lower: on => isLower(shown(on)),
  upper: on => isUpper(shown(on)),
  sameas: (on, to) => isSame(on, to),
  in: (on, all) => compare('in', on, all),
  filter: on => typeof on === 'string' && filterNames.includes(on),
  test: on => typeof on === 'string' && testNames.includes(on),
}

const operators: Readonly<Record<string, string>> = {
  eq: '==',
  equalto: '==',
  '==': '==',
  ne: '!=',
  '!=': '!=',
  lt: '<',
  lessthan: '<',
  '<': '<',
  le: '<=',
  '<=': '<=',
  gt: '>',
  greaterthan: '>',
  '>': '>',
  ge: '>=',
  '>=': '>=',
}

const taking: ReadonlySet<string> = new Set(['divisibleby', 'sameas', 'in', ...Object.keys(operators)])

/** @throws Error where the value is not what the test looks at. */
export function passed(name: string, on: Value, given: readonly Value[]): boolean {
  const [to = null] = given
  if (given.length !== (taking.has(name) ? 1 : 0))
    throw new Error(`the test "${name}" takes ${taking.has(name) ? 'one value' : 'no value'}`)
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator !== undefined) return compare(operator, on, to)
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined
  if (test === undefined) throw new Error(`no test "${name}"`)
  return test(on, to)
}

/** Python's `is`: of numbers and texts that they are the same. */
const isSame = (a: Value, b: Value): boolean =>
  a instanceof Float && b instanceof Float ? a.value === b.value : a === b
