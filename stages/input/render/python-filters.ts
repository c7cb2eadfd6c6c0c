import type { JinjaValue } from './jinja.js'
import { isList, itemsOf, type Plain } from './python-operators.js'
import { capitalized, regexReplace } from './python-methods.js'
import { pythonText } from './python-text.js'

type Filter = (on: JinjaValue, args: readonly unknown[]) => Plain | undefined

/**
 * Filters that the template library has not, or that differ there from Python's Jinja. Each gives `undefined` where the
 * library's own does it, for values of other types.
 */
const filters: Readonly<Record<string, Filter>> = {
  regex_replace(on, [pattern, replacement, count]) {
    if (typeof on.value !== 'string') throw new Error('regex_replace: expected a text')
    return regexReplace(on.value, String(pattern), String(replacement), Number(count ?? 0))
  },
  // Python counts characters, JavaScript halves of them.
  length: on => (typeof on.value === 'string' ? { integer: Array.from(on.value).length } : undefined),
  title: on => textOf(on, text => text.replace(/[^-\s({[<]+/gu, capitalized)),
  capitalize: on => textOf(on, capitalized),
  string: on => pythonText(on),
  join: (on, [between = '']) =>
    isList(on) && typeof between === 'string' ? itemsOf(on).map(pythonText).join(between) : undefined,
  int: (on, [otherwise = 0]) => numberOf(on, value => ({ integer: Math.trunc(value) }), otherwise),
  float: (on, [otherwise = 0]) => numberOf(on, value => ({ float: value }), otherwise),
}

/** Other names of filters. */
const aliases: Readonly<Record<string, string>> = { d: 'default', count: 'length' }

export const filterNamed = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

export const pythonFilter = (name: string): Filter | undefined =>
  Object.hasOwn(filters, name) ? filters[name] : undefined

/** All filters that a template can name: these, and what the library has. */
export const filterNames: readonly string[] = [
  ...Object.keys(filters),
  ...Object.keys(aliases),
  ...'abs bool default dictsort first get indent items keys last list lower map rejectattr'.split(' '),
  ...'replace reverse safe selectattr sort tojson trim unique upper values'.split(' '),
]

export const testNames: readonly string[] = [
  ...'boolean callable defined eq equalto even false integer iterable lower mapping none number odd sequence'.split(
    ' ',
  ),
  ...'string true undefined upper'.split(' '),
]

const textOf = (on: JinjaValue, change: (text: string) => string): string | undefined =>
  typeof on.value === 'string' ? change(on.value) : undefined

const numeric = /^\s*[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?\s*$/

/** The number of a text as a whole, or `otherwise`: `12 apples` is none. */
function numberOf(on: JinjaValue, as: (value: number) => Plain, otherwise: unknown): Plain | undefined {
  if (typeof on.value === 'number') return as(on.value)
  if (typeof on.value !== 'string') return undefined
  const value = numeric.test(on.value) ? Number(on.value.replaceAll('_', '')) : Number.NaN
  if (Number.isFinite(value)) return as(value)
  return typeof otherwise === 'number' ? as(otherwise) : typeof otherwise === 'string' ? otherwise : undefined
}
