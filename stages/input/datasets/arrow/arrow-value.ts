import { type Data, DataType, type Decimal, type Field, Int64, Vector } from 'apache-arrow'
import { PipelineError } from '../../../../base/errors/errors.js'
import { decimalValue, plainValue } from '../columns/exact-values.js'
import { type TimeKind, timeText, type TimeUnit } from '../columns/times.js'

/**
 * Converts a value of an Arrow column to the form that tasks see: integers as numbers, or as text beyond ±(2^53 −
 * 1), and times as Python prints them. Lists, structs and bytes keep their form.
 *
 *
 * @throws PipelineError if the type is unknown.
 */
export function arrowValue(value: unknown, type: DataType, locate: () => string): unknown {
  if (value === null || value === undefined) return null
  if (DataType.isDictionary(type)) return arrowValue(value, type.dictionary as DataType, locate)
  if (DataType.isList(type) || DataType.isFixedSizeList(type) || isLargeList(type))
    return listItems(value).map(item => arrowValue(item, readElementType(type), locate))
  if (DataType.isStruct(type)) return structFields(value as Iterable<readonly [string, unknown]>, type.children, locate)
  if (DataType.isMap(type)) return mapEntries(value as Iterable<readonly [unknown, unknown]>, type, locate)
  const time = timeKind(type)
  if (time !== undefined) return timeText(timeCount(value as number | bigint, time), time, locate)
  if (DataType.isDecimal(type)) return decimalValue(joinWords(value as Uint32Array), type.scale)
  if (value instanceof Uint8Array) return value
  if (typeof value === 'object')
    throw new PipelineError('dataset', `${locate()}: values of the type ${formatTypeName(type)} are not read`)
  return plainValue(value)
}

export const isDecimal = (type: DataType): type is Decimal => DataType.isDecimal(type)

// The library's type definitions do not include it.
const isLargeList = (type: DataType): boolean => formatTypeName(type).startsWith('LargeList')

/** The name of a type in Arrow's notation: `Utf8`, `Binary`, `LargeList<…>`. */
export const formatTypeName = (type: { toString(): string }): string => type.toString()

/** The child fields of a list, struct or map. */
export const listChildFields = (type: DataType): readonly Field[] => (type.children as readonly Field[] | null) ?? []

const listItems = (value: unknown): readonly unknown[] => [...(value as Iterable<unknown>)]

const readElementType = (type: DataType): DataType => (listChildFields(type)[0]?.type as DataType | undefined) ?? type

function structFields(
  row: Iterable<readonly [string, unknown]>,
  fields: readonly Field[],
  locate: () => string,
): Record<string, unknown> {
  const values = new Map(row)
  return Object.fromEntries(
    fields.map(({ name, type }) => [name, arrowValue(values.get(name), type as DataType, () => `${locate()}.${name}`)]),
  )
}

function mapEntries(
  row: Iterable<readonly [unknown, unknown]>,
  type: DataType,
  locate: () => string,
): readonly (readonly [string, unknown])[] {
  const of = (listChildFields(readElementType(type))[1]?.type as DataType | undefined) ?? type
  return [...row].map(([key, item]) => [String(key), arrowValue(item, of, locate)])
}

/** The two's complement number in 32-bit words, the least significant first. */
const joinWords = (words: Uint32Array): bigint =>
  BigInt.asIntN(
    32 * words.length,
    words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
  )

const units: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns']

/** The kind of time in a column of this type; `undefined` for other types. */
export function timeKind(type: DataType): TimeKind | undefined {
  if (DataType.isDate(type)) return { of: 'date' }
  if (DataType.isTime(type)) return { of: 'time', unit: readTimeUnit(type.unit) }
  if (DataType.isDuration(type)) return { of: 'duration', unit: readTimeUnit(type.unit) }
  if (!DataType.isTimestamp(type)) return undefined
  const zone = type.timezone ?? ''
  return { of: 'datetime', unit: readTimeUnit(type.unit), ...(zone === '' ? {} : { zone }) }
}

const readTimeUnit = (unit: number): TimeUnit => units[unit] ?? 'ms'

/** The count of a time in its unit. The library returns days, and timestamps in dictionaries, in milliseconds. */
function timeCount(value: number | bigint, kind: TimeKind): bigint {
  if (typeof value === 'bigint') return value
  if (kind.of === 'date') return BigInt(Math.floor(value / 86_400_000))
  if (kind.of !== 'datetime') return BigInt(value)
  return BigInt(Math.round(value * { s: 0.001, ms: 1, us: 1_000, ns: 1_000_000 }[kind.unit]))
}

/** The same values with timestamps as integers, because the library would convert them to milliseconds and round. */
export const withCounts = (values: Vector): Vector => new Vector(values.data.map(convertTimestamps))

function convertTimestamps(data: Data): Data {
  if (DataType.isTimestamp(data.type)) return data.clone(new Int64())
  if (data.children.length === 0) return data
  const children = data.children.map(convertTimestamps)
  return data.clone(data.type, data.offset, data.length, data.nullCount, data.buffers, children)
}
