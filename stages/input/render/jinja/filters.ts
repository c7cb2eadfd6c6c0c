import { bound } from './bind-arguments.js'
import { memberOf } from './methods.js'
import type { Filter, Names, OpenFilter } from './filter.js'
import { jsonText } from './json-text.js'
import { filterNamed } from './known-names.js'
import { choosingFilters, listFilters } from './list-filters.js'
import { numberFilters } from './number-filters.js'
import { percentFormatted } from './percent-format.js'
import { pageFilters } from './page-filters.js'
import { shown } from './print.js'
import { textFilters } from './text-filters.js'
import { Missing, Tuple, isTrue, present, textIn, wholeNumber, type Arguments, type Value } from './values.js'

const otherFilters: Readonly<Record<string, Filter | OpenFilter>> = {
  default: {
    parameters: ['default_value', 'boolean'],
    call(on, [otherwise = '', isBoolean = false]) {
      const isMissing = on instanceof Missing || (isTrue(isBoolean) && !isTrue(on))
      return isMissing ? otherwise : on
    },
  },
  safe: { parameters: [], call: on => shown(on) },
  attr: {
    parameters: ['name'],
    call(on, [name = '']) {
      const field = textIn(name, 'the name')
      const member = memberOf(present(on), field)
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
      percentFormatted(shown(on), named.size > 0 ? new Map(named) : new Tuple(positional)),
  },
}

const filters: Readonly<Record<string, Filter | OpenFilter>> = {
  ...textFilters,
  ...pageFilters,
  ...numberFilters,
  ...listFilters,
  ...choosingFilters,
  ...otherFilters,
}

/** @throws Error where the value or the arguments are not what the filter takes. */
export function filtered(
  name: string,
  on: Value,
  { args, names }: { readonly args: Arguments; readonly names: Names },
): Value {
  const own = filterNamed(name)
  const filter = Object.hasOwn(filters, own) ? filters[own] : undefined
  if (filter === undefined) throw new Error(`no filter "${name}"`)
  if ('open' in filter) return filter.open(on, args, names)
  return filter.call(on, bound(name, filter.parameters, args), names)
}
