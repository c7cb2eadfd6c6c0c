import { isLower, isUpper } from '../../../../base/python/python-text.js'
import { ownValue } from '../../../../base/values/named-values.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { choosingFilters, listFilters } from './list-filters.js'
import { findMember } from './methods.js'
import { areEqual, computeArithmetic, compare } from './operators.js'
import { percentFormatted } from './percent-format.js'
import { jsonText, printValue } from './print.js'
import { numberFilters, textFilters } from './value-filters.js'
import {
  type Arguments,
  bindArguments,
  Callable,
  type Filter,
  Float,
  isIterable,
  isTrue,
  Missing,
  type Names,
  numberIn,
  type OpenFilter,
  requirePresent,
  Range,
  textIn,
  Tuple,
  type Value,
  wholeNumber,
} from './values.js'

const otherFilters: Readonly<Record<string, Filter | OpenFilter>> = {
  default: {
    parameters: ['default_value', 'boolean'],
    call(on, [otherwise = '', isBoolean = false]) {
      const isMissing = on instanceof Missing || (isTrue(isBoolean) && !isTrue(on))
      return isMissing ? otherwise : on
    },
  },
  safe: { parameters: [], call: on => printValue(on) },
  attr: {
    parameters: ['name'],
    call(on, [name = '']) {
      const field = textIn(name, 'the name')
      const member = findMember(requirePresent(on), field)
      return member === undefined ? new Missing(`"${field}" is not there`) : member
    },
  },
  tojson: {
    parameters: ['indent'],
    call(on, [indent = null]) {
      return jsonText(
        on,
        indent === null ? undefined : typeof indent === 'string' ? indent : ' '.repeat(wholeNumber(indent, 'indent')),
      )
    },
  },
  format: {
    open: (on, { positional, named }) =>
      percentFormatted(printValue(on), named.size > 0 ? new Map(named) : new Tuple(positional)),
  },
}

const filters: Readonly<Record<string, Filter | OpenFilter>> = {
  ...textFilters,
  ...numberFilters,
  ...listFilters,
  ...choosingFilters,
  ...otherFilters,
}

const aliases: Readonly<Record<string, string>> = { d: 'default', count: 'length', e: 'escape', forceescape: 'escape' }

export const filterNamed = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

/** All filters that a template can name: Jinja's, as far as tasks use them, and lmms-eval's `regex_replace`. */
const filterNames: readonly string[] = [...Object.keys(aliases), ...Object.keys(filters)]

const noPage = 'prompts are plain text, not HTML pages. Change the texts in process_docs or in a !function'

/** Filters of Jinja that are not supported, with what to do instead. */
const unsupported: Readonly<Record<string, string>> = {
  random: 'a prompt must be the same each time it is made. Choose with a !function from what the doc has',
  pprint: 'write the value itself, or | tojson(2)',
  striptags: noPage,
  urlencode: noPage,
  urlize: noPage,
  xmlattr: noPage,
  wordwrap: 'prompts are not wrapped into lines. Wrap the text in a !function',
  filesizeformat: "write the number with its unit, such as {{ '%.1f MB' % (bytes / 1e6) }}",
}

/**
 * Checks the name of a filter when a template is read.
 * @throws Error that names the filter and lists the supported ones.
 */
export function checkFilterName(name: string): void {
  const supported = `Supported filters: ${filterNames.toSorted().join(', ')}`
  const instead = ownValue(unsupported, name)
  if (instead !== undefined) throw new Error(`the filter "${name}" is not supported: ${instead}. ${supported}`)
  if (!filterNames.includes(name))
    throw new Error(`no filter "${name}".${didYouMean(name, filterNames) || ` ${supported}`}`)
}

/**
 * Applies a filter.
 * @throws Error where the filter does not accept the value or the arguments.
 */
export function applyFilter(
  name: string,
  on: Value,
  { args, names }: { readonly args: Arguments; readonly names: Names },
): Value {
  const own = filterNamed(name)
  const filter = Object.hasOwn(filters, own) ? filters[own] : undefined
  if (filter === undefined) throw new Error(`no filter "${name}"`)
  if ('open' in filter) return filter.open(on, args, names)
  return filter.call(on, bindArguments(name, filter.parameters, args), names)
}

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
  iterable: on => isIterable(requirePresent(on)),
  sequence: on =>
    typeof on === 'string' || Array.isArray(on) || on instanceof Map || on instanceof Tuple || on instanceof Range,
  callable: on => on instanceof Callable || on instanceof Missing,
  odd: on => areEqual(computeArithmetic('%', on, 2), 1),
  even: on => areEqual(computeArithmetic('%', on, 2), 0),
  divisibleby: (on, by) => areEqual(computeArithmetic('%', on, by), 0),
  lower: on => isLower(printValue(on)),
  upper: on => isUpper(printValue(on)),
  sameas: (on, to) => isSame(on, to),
  in: (on, container) => compare('in', on, container),
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

/** All tests that a template can name behind `is`. */
export const testNames: readonly string[] = [
  ...Object.keys(tests),
  ...Object.keys(operators).filter(name => /^\w+$/.test(name)),
]

/**
 * Applies a test.
 * @throws Error where the test does not accept the value or the arguments.
 */
export function passesTest(name: string, on: Value, args: readonly Value[]): boolean {
  const [to = null] = args
  if (args.length !== (taking.has(name) ? 1 : 0))
    throw new Error(`the test "${name}" takes ${taking.has(name) ? 'one value' : 'no value'}`)
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator !== undefined) return compare(operator, on, to)
  const test = Object.hasOwn(tests, name) ? tests[name] : undefined
  if (test === undefined) throw new Error(`no test "${name}"`)
  return test(on, to)
}

/** Python's `is`. Equal numbers and texts are the same object here. */
const isSame = (a: Value, b: Value): boolean =>
  a instanceof Float && b instanceof Float ? a.value === b.value : a === b
