/** Finds the options of multiple-choice rows, and how their targets name the right one. */
import { isList, isObject } from '../../base/values/canonical-json.js'
import type { Row } from './data-columns.js'

/** The way in which a target names the right option. */
export type OptionReading = 'letter' | 'label' | 'text' | 'from 0' | 'from 1'

/** The options of a data file. */
export interface DataOptions {
  /** The column with the options, or one column for each option. */
  readonly columns: readonly string[]
  /** A Jinja expression for the list of options of a row. */
  readonly list: string
  /** A Jinja expression for the list of their labels, if the data have them. */
  readonly labels?: string
}

/** The options of one row, with labels if the row has them. */
interface RowOptions {
  readonly texts: readonly unknown[]
  readonly labels?: readonly unknown[]
}

const listNames = /^(?:choices?|options?|candidates?|endings|alternatives|(?:answer|mc)_?(?:choices|options))$/i
const textKeys = ['text', 'value', 'content', 'option', 'answer', 'choice']
const labelKeys = ['label', 'labels', 'key', 'letter', 'id', 'name']

/** The names of columns that hold one option each: `A`, `option_b`, `opa`, `choice1`, `ending0`. */
const oneOption = /^(|options?|choices?|opt?|answers?|endings?|sol(?:ution)?|alternatives?)[_-]?([a-j]|\d)$/i

/** Finds the options among the columns, or undefined if there are none. */
export function findOptions(names: readonly string[], rows: readonly Row[], target?: string): DataOptions | undefined {
  const name = names.find(column => column !== target && listNames.test(column) && hasOptions(column, rows))
  if (name !== undefined) return describeList(name, rows)
  const columns = findOptionColumns(names.filter(column => column !== target))
  return columns === undefined ? undefined : { columns, list: listColumns(columns, rows) }
}

const hasOptions = (column: string, rows: readonly Row[]): boolean =>
  rows.some(row => (readCell(row[column])?.texts.length ?? 0) > 1)

/** Describes a column of options by its first row that has some. */
function describeList(name: string, rows: readonly Row[]): DataOptions {
  const value = rows.map(row => row[name]).find(cell => (readCell(cell)?.texts.length ?? 0) > 1)
  const columns = [name]
  if (isList(value)) {
    const [first] = value
    if (!isObject(first)) return { columns, list: name }
    const [text, label] = [findKey(first, textKeys), findKey(first, labelKeys)]
    const pick = (key: string): string => `${name} | map(attribute="${key}") | list`
    return { columns, list: pick(text ?? ''), ...(label !== undefined && { labels: pick(label) }) }
  }
  const [text, label] = isObject(value) ? [findKey(value, textKeys), findKey(value, labelKeys)] : []
  if (isObject(value) && text !== undefined && isList(value[text]))
    return { columns, list: `${name}.${text}`, ...(label !== undefined && { labels: `${name}.${label}` }) }
  return { columns, list: `${name}.values() | list`, labels: `${name}.keys() | list` }
}

const findKey = (value: object, keys: readonly string[]): string | undefined => keys.find(key => key in value)

/** Finds columns of one option each, which must begin at `a`, `0` or `1`. */
function findOptionColumns(names: readonly string[]): readonly string[] | undefined {
  const groups = new Map<string, { readonly name: string; readonly mark: string }[]>()
  for (const name of names) {
    const [, start, mark] = oneOption.exec(name) ?? []
    if (start === undefined || mark === undefined) continue
    // Columns that are single letters are upper-case as a rule, and `a`, `b` may be anything.
    const group = `${start.toLowerCase()} ${/\d/.test(mark) ? 'digit' : 'letter'} ${start === '' && mark >= 'a' ? 'small' : ''}`
    groups.set(group, [...(groups.get(group) ?? []), { name, mark: mark.toLowerCase() }])
  }
  for (const [group, columns] of groups) {
    const sorted = [...columns].sort((a, b) => (a.mark < b.mark ? -1 : 1))
    const first = sorted[0]?.mark.charCodeAt(0) ?? 0
    const isWhole = sorted.every(({ mark }, at) => mark.charCodeAt(0) === first + at)
    const least = group.endsWith('small') ? 3 : 2
    const isNamed = !group.startsWith(' digit')
    if (isWhole && isNamed && sorted.length >= least && 'a01'.includes(sorted[0]?.mark ?? '?'))
      return sorted.map(({ name }) => name)
  }
  return undefined
}

/** Writes the list of option columns. Columns that are empty in some rows are left out there. */
function listColumns(columns: readonly string[], rows: readonly Row[]): string {
  const list = `[${columns.join(', ')}]`
  return rows.some(row => columns.some(column => isEmpty(row[column]))) ? `${list} | select | list` : list
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === ''

/** Reads the options of a row. */
export function readOptions({ columns }: DataOptions, row: Row): RowOptions {
  const [only] = columns
  if (columns.length === 1 && only !== undefined) return readCell(row[only]) ?? { texts: [] }
  return { texts: columns.map(column => row[column]).filter(value => !isEmpty(value)) }
}

function readCell(value: unknown): RowOptions | undefined {
  if (isList(value)) {
    const items: readonly unknown[] = value
    const [first] = items
    if (!isObject(first)) return { texts: items }
    const [text, label] = [findKey(first, textKeys), findKey(first, labelKeys)]
    const pick = (key: string): unknown[] => items.map(item => (isObject(item) ? item[key] : undefined))
    if (text === undefined) return undefined
    return { texts: pick(text), ...(label !== undefined && { labels: pick(label) }) }
  }
  if (!isObject(value)) return undefined
  const text = findKey(value, textKeys)
  const texts: unknown = text === undefined ? undefined : value[text]
  if (isList(texts)) {
    const label = findKey(value, labelKeys)
    const labels: unknown = label === undefined ? undefined : value[label]
    return { texts, ...(isList(labels) && { labels }) }
  }
  const entries = Object.entries(value)
  const areLetters = entries.length > 1 && entries.every(([key]) => /^(?:[A-Za-z]|\d{1,2})$/.test(key))
  return areLetters ? { texts: entries.map(([, text]) => text), labels: entries.map(([key]) => key) } : undefined
}

/** The reading that fits the targets of nearly all rows, and the number of rows that it does not fit. */
export interface FoundReading {
  readonly reading: OptionReading
  readonly unfit: number
  /** True if counting from 0 and from 1 fit equally well. */
  readonly isUnsure: boolean
  /** True if each letter is an upper-case letter and nothing else. */
  readonly areLettersPlain: boolean
}

/** The share of rows that a reading must fit. */
const leastFit = 0.9

/** Finds how the targets of a column name the right option. */
export function findReading(options: DataOptions, target: string, rows: readonly Row[]): FoundReading | undefined {
  const fits = new Map<OptionReading, number>()
  for (const row of rows)
    for (const reading of listReadings(row[target], readOptions(options, row)))
      fits.set(reading, (fits.get(reading) ?? 0) + 1)
  const [best] = readingOrder
    .map(reading => ({ reading, fit: fits.get(reading) ?? 0 }))
    .sort((a, b) => b.fit - a.fit || readingOrder.indexOf(a.reading) - readingOrder.indexOf(b.reading))
  if (best === undefined || best.fit === 0 || best.fit < leastFit * rows.length) return undefined
  const isUnsure = best.reading === 'from 0' && fits.get('from 1') === best.fit
  // Numbers that fit both ways are taken as the columns of the options are numbered.
  const reading =
    isUnsure && options.columns.length > 1 && options.columns[0]?.endsWith('1') === true ? 'from 1' : best.reading
  const areLettersPlain = rows.every(
    row => !writtenLetter.test(String(row[target])) || /^[A-Z]$/.test(String(row[target])),
  )
  return { reading, unfit: rows.length - best.fit, isUnsure, areLettersPlain }
}

/** If several readings fit equally many rows, the first one is meant. */
const readingOrder: readonly OptionReading[] = ['letter', 'label', 'text', 'from 0', 'from 1']

function listReadings(value: unknown, { texts, labels }: RowOptions): readonly OptionReading[] {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return []
  const text = String(value).trim()
  const index = /^\d+$/.test(text) ? Number(text) : undefined
  const letter =
    (typeof value === 'string' ? (writtenLetter.exec(text)?.[1] ?? '') : '').toUpperCase().charCodeAt(0) - 65
  const isIndexOfNumbers = typeof value === 'number' && texts.every(option => typeof option === 'string')
  return [
    ...(letter >= 0 && letter < texts.length && areLettersInOrder(labels) ? (['letter'] as const) : []),
    ...(labels?.some(label => String(label) === text) === true ? (['label'] as const) : []),
    ...(!isIndexOfNumbers && texts.some(option => String(option).trim() === text) ? (['text'] as const) : []),
    ...(index !== undefined && index < texts.length ? (['from 0'] as const) : []),
    ...(index !== undefined && index >= 1 && index <= texts.length ? (['from 1'] as const) : []),
  ]
}

/** A letter, perhaps as `b`, `(B)` or `B.` */
const writtenLetter = /^\(?([A-Za-z])[).:]?$/

const areLettersInOrder = (labels: readonly unknown[] | undefined): boolean =>
  labels === undefined || labels.every((label, at) => String(label).toUpperCase() === String.fromCharCode(65 + at))
