import { resolveAttribute } from './items.js'
import {
  type Arguments,
  type Filter,
  isTrue,
  listItems,
  countItems,
  Missing,
  type Names,
  type OpenFilter,
  requirePresent,
  Stream,
  textIn,
  Tuple,
  typeName,
  type Value,
  wholeNumber,
} from './values.js'
import { areEqual, computeArithmetic, compareOrder } from './operators.js'
import { printValue } from './print.js'

type FilterArguments = readonly (Value | undefined)[]

const isSet = (value: Value | undefined): boolean => value !== undefined && isTrue(value)
const omitNull = (value: Value | undefined): Value | undefined => (value === null ? undefined : value)
const small = (value: Value): Value => (typeof value === 'string' ? value.toLowerCase() : value)

/** Returns what items are compared by: an attribute or the item itself, ignoring letter case by default. */
const makeKeyReader =
  (attribute: Value | undefined, isCaseSensitive: boolean, otherwise?: Value) =>
  (item: Value): Value => {
    const value = attribute === undefined ? item : resolveAttribute(item, attribute, otherwise)
    return isCaseSensitive ? value : small(value)
  }

function inOrder(items: readonly Value[], keys: readonly ((item: Value) => Value)[], isReversed: boolean): Value[] {
  const keyed = items.map(item => ({ item, by: keys.map(key => key(item)) }))
  const order = (a: FilterArguments, b: FilterArguments): number => compareOrder([...a].map(orNone), [...b].map(orNone))
  keyed.sort((a, b) => (isReversed ? order(b.by, a.by) : order(a.by, b.by)))
  return keyed.map(({ item }) => item)
}

const orMissing = (value: Value | undefined): Value => (value === undefined ? new Missing('the list is empty') : value)

const orNone = (value: Value | undefined): Value => value ?? null

const extreme = (sign: number): Filter => ({
  parameters: ['case_sensitive', 'attribute'],
  call(on, [isCaseSensitive, attribute]) {
    const key = makeKeyReader(omitNull(attribute), isSet(isCaseSensitive))
    const [first, ...rest] = listItems(on)
    if (first === undefined) return new Missing('the list is empty')
    return rest.reduce((best, item) => (sign * compareOrder(key(item), key(best)) > 0 ? item : best), first)
  },
})

export const listFilters: Readonly<Record<string, Filter>> = {
  length: { parameters: [], call: on => countItems(on) },
  list: { parameters: [], call: on => [...listItems(on)] },
  first: { parameters: [], call: on => orMissing(listItems(on)[0]) },
  last: {
    parameters: [],
    call(on) {
      if (on instanceof Stream && !on.isReversible)
        throw new Error('a generator has no last item: put | list before it')
      return orMissing(listItems(on).at(-1))
    },
  },
  min: extreme(-1),
  max: extreme(1),
  reverse: { parameters: [], call: reverseItems },
  join: {
    parameters: ['d', 'attribute'],
    call: (on, [between = '', attribute]) =>
      listItems(on)
        .map(item =>
          printValue(attribute === undefined || attribute === null ? item : resolveAttribute(item, attribute)),
        )
        .join(printValue(between)),
  },
  sum: {
    parameters: ['attribute', 'start'],
    call: (on, [attribute, start = 0]) =>
      listItems(on)
        .map(item => (attribute === undefined || attribute === null ? item : resolveAttribute(item, attribute)))
        .reduce((sum, item) => computeArithmetic('+', sum, item), start),
  },
  sort: {
    parameters: ['reverse', 'case_sensitive', 'attribute'],
    call(on, [isReversed, isCaseSensitive, attribute]) {
      const names: readonly (Value | undefined)[] =
        typeof attribute === 'string' ? attribute.split(',') : [omitNull(attribute)]
      return inOrder(
        listItems(on),
        names.map(name => makeKeyReader(name, isSet(isCaseSensitive))),
        isSet(isReversed),
      )
    },
  },
  unique: {
    parameters: ['case_sensitive', 'attribute'],
    call(on, [isCaseSensitive, attribute]) {
      const key = makeKeyReader(omitNull(attribute), isSet(isCaseSensitive))
      const earlierKeys: Value[] = []
      const isNew = (value: Value): boolean =>
        !earlierKeys.some(earlierKey => areEqual(earlierKey, value)) && earlierKeys.push(value) > 0
      return new Stream(listItems(on).filter(item => isNew(key(item))))
    },
  },
  groupby: { parameters: ['attribute', 'default', 'case_sensitive'], call: (on, args) => groups(listItems(on), args) },
  batch: { parameters: ['linecount', 'fill_with'], call: (on, args) => new Stream(batches(listItems(on), args)) },
  slice: { parameters: ['slices', 'fill_with'], call: (on, args) => new Stream(slices(listItems(on), args)) },
  items: {
    parameters: [],
    call(on) {
      if (on instanceof Missing) return new Stream([])
      if (on instanceof Map) return new Stream([...on].map(([key, value]) => new Tuple([key, value])))
      throw new Error(`items needs a dictionary, not ${typeName(on)}`)
    },
  },
  dictsort: {
    parameters: ['case_sensitive', 'by', 'reverse'],
    call(on, [isCaseSensitive, by = 'key', isReversed]) {
      if (!(on instanceof Map)) throw new Error(`dictsort needs a dictionary, not ${typeName(on)}`)
      if (by !== 'key' && by !== 'value') throw new Error('dictsort: by must be key or value')
      const pairs = [...on].map(([key, value]) => new Tuple([key, value]))
      return inOrder(pairs, [makeKeyReader(by === 'key' ? 0 : 1, isSet(isCaseSensitive))], isSet(isReversed))
    },
  },
}

function reverseItems(on: Value): Value {
  const presentValue = requirePresent(on)
  if (typeof presentValue === 'string') return Array.from(presentValue).reverse().join('')
  const items = [...listItems(presentValue)].reverse()
  return presentValue instanceof Stream ? items : new Stream(items)
}

function groups(items: readonly Value[], [attribute = '', otherwise, isCaseSensitive]: FilterArguments): Value {
  const exact = makeKeyReader(attribute, true, omitNull(otherwise))
  const key = makeKeyReader(attribute, isSet(isCaseSensitive), omitNull(otherwise))
  const itemGroups: { readonly by: Value; readonly name: Value; readonly list: Value[] }[] = []
  for (const item of inOrder(items, [key], false)) {
    const last = itemGroups.at(-1)
    if (last !== undefined && areEqual(last.by, key(item))) last.list.push(item)
    else itemGroups.push({ by: key(item), name: exact(item), list: [item] })
  }
  return itemGroups.map(({ name, list }) => new Tuple([name, list], ['grouper', 'list']))
}

function batches(items: readonly Value[], [count = 1, fill]: FilterArguments): readonly Value[] {
  const size = wholeNumber(count, 'linecount')
  const rows: Value[][] = []
  for (let at = 0; at < items.length; at += size) rows.push([...items.slice(at, at + size)])
  const last = rows.at(-1)
  if (fill !== undefined && fill !== null && last !== undefined) while (last.length < size) last.push(fill)
  return rows
}

function slices(items: readonly Value[], [count = 1, fill]: FilterArguments): readonly Value[] {
  const number = wholeNumber(count, 'slices')
  const [size, larger] = [Math.floor(items.length / number), items.length % number]
  return Array.from({ length: number }, (_, at) => {
    const start = at * size + Math.min(at, larger)
    const part = [...items.slice(start, start + size + (at < larger ? 1 : 0))]
    return fill !== undefined && fill !== null && at >= larger ? [...part, fill] : part
  })
}

/** Filters whose arguments name other filters or tests. */
export const choosingFilters: Readonly<Record<string, OpenFilter>> = {
  map: { open: mapItems },
  select: { open: (on, args, names) => filterItems(on, { args, names, isKept: true }) },
  reject: { open: (on, args, names) => filterItems(on, { args, names, isKept: false }) },
  selectattr: { open: (on, args, names) => chosenBy(on, { args, names, isKept: true }) },
  rejectattr: { open: (on, args, names) => chosenBy(on, { args, names, isKept: false }) },
}

function mapItems(on: Value, { positional, named }: Arguments, names: Names): Value {
  const items = listItems(on)
  const attribute = named.get('attribute')
  if (positional.length === 0 && attribute !== undefined) {
    const unknown = [...named.keys()].find(name => name !== 'attribute' && name !== 'default')
    if (unknown !== undefined) throw new Error(`map has no argument "${unknown}"`)
    return new Stream(items.map(item => resolveAttribute(item, attribute, named.get('default'))))
  }
  const [name, ...rest] = positional
  if (name === undefined) throw new Error('map needs the name of a filter, or attribute=…')
  return new Stream(items.map(item => names.filter(textIn(name, 'the filter'), item, { positional: rest, named })))
}

interface Choosing {
  readonly args: Arguments
  readonly names: Names
  readonly isKept: boolean
}

const filterItems = (on: Value, choosing: Choosing): Value =>
  new Stream(listItems(on).filter(item => passes(item, choosing) === choosing.isKept))

function chosenBy(on: Value, { args, names, isKept }: Choosing): Value {
  const [attribute, ...positional] = args.positional
  if (attribute === undefined) throw new Error('the name of an attribute is missing')
  const choosing = { args: { ...args, positional }, names, isKept }
  return new Stream(listItems(on).filter(item => passes(resolveAttribute(item, attribute), choosing) === isKept))
}

function passes(item: Value, { args, names }: Choosing): boolean {
  const [name, ...positional] = args.positional
  return name === undefined ? isTrue(item) : names.test(textIn(name, 'the test'), item, { ...args, positional })
}
