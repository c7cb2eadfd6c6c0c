import { type Data, DataType, type Decimal, type Field, Int64, Vector } from 'apache-arrow'
import { PipelineError } from '../../../../base/errors/errors.js'
import { decimalValue, plainValue } from '../columns/exact-values.js'
import { type TimeKind, timeText, type TimeUnit } from '../columns/times.js'

/**
 * A value of an Arrow column as tasks see it: whole numbers as numbers, or as text beyond ±(2^53 − 1), times as Python
 * prints them, lists and structs as such, bytes as they are.
 *
 * @throws PipelineError where the type is not one that is known.
 */
export function arrowValue(value: unknown, type: DataType, place: () => string): unknown {
  if (value === null || value === undefined) return null
  if (DataType.isDictionary(type)) return arrowValue(value, type.dictionary as DataType, place)
  if (DataType.isList(type) || DataType.isFixedSizeList(type) || isLargeList(type))
    return listItems(value).map(item => arrowValue(item, elementOf(type), place))
  if (DataType.isStruct(type)) return structFields(value as Iterable<readonly [string, unknown]>, type.children, place)
  if (DataType.isMap(type)) return mapEntries(value as Iterable<readonly [unknown, unknown]>, type, place)
  const time = timeKind(type)
  if (time !== undefined) return timeText(timeCount(value as number | bigint, time), time, place)
  if (DataType.isDecimal(type)) return decimalValue(unscaled(value as Uint32Array), type.scale)
  if (value instanceof Uint8Array) return value
  if (typeof value === 'object')
    throw new PipelineError('dataset', `${place()}: values of the type ${nameOf(type)} are not read`)
  return plainValue(value)
}

export const isDecimal = (type: DataType): type is Decimal => DataType.isDecimal(type)

// The library has no word for it in its types.
const isLargeList = (type: DataType): boolean => nameOf(type).startsWith('LargeList')

/** As Arrow writes it: `Utf8`, `Binary`, `LargeList<…>`. */
export const nameOf = (type: { toString(): string }): string => type.toString()

/** The fields of a list, struct or map. */
export const childrenOf = (type: DataType): readonly Field[] => (type.children as readonly Field[] | null) ?? []

const listItems = (value: unknown): readonly unknown[] => [...(value as Iterable<unknown>)]

const elementOf = (type: DataType): DataType => (childrenOf(type)[0]?.type as DataType | undefined) ?? type

function structFields(
  row: Iterable<readonly [string, unknown]>,
  fields: readonly Field[],
  place: () => string,
): Record<string, unknown> {
  const values = new Map(row)
  return Object.fromEntries(
    fields.map(({ name, type }) => [name, arrowValue(values.get(name), type as DataType, () => `${place()}.${name}`)]),
  )
}

function mapEntries(
  row: Iterable<readonly [unknown, unknown]>,
  type: DataType,
  place: () => string,
): readonly (readonly [string, unknown])[] {
  const of = (childrenOf(elementOf(type))[1]?.type as DataType | undefined) ?? type
  return [...row].map(([key, item]) => [String(key), arrowValue(item, of, place)])
}

/** Of words of 32 bits, the least significant first, as a two's complement. */
const unscaled = (words: Uint32Array): bigint =>
  BigInt.asIntN(
    32 * words.length,
    words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
  )

const units: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns']

/** What a column of this type holds, where it holds times. */
export function timeKind(type: DataType): TimeKind | undefined {
  if (DataType.isDate(type)) return { of: 'date' }
  if (DataType.isTime(type)) return { of: 'time', unit: unitOf(type.unit) }
  if (DataType.isDuration(type)) return { of: 'duration', unit: unitOf(type.unit) }
  if (!DataType.isTimestamp(type)) return undefined
  const zone = type.timezone ?? ''
  return { of: 'datetime', unit: unitOf(type.unit), ...(zone === '' ? {} : { zone }) }
}

const unitOf = (unit: number): TimeUnit => units[unit] ?? 'ms'

/** The library gives days, and moments out of dictionaries, in milliseconds. */
function timeCount(value: number | bigint, kind: TimeKind): bigint {
  if (typeof value === 'bigint') return value
  if (kind.of === 'date') return BigInt(Math.floor(value / 86_400_000))
  if (kind.of !== 'datetime') return BigInt(value)
  return BigInt(Math.round(value * { s: 0.001, ms: 1, us: 1_000, ns: 1_000_000 }[kind.unit]))
}

/** The same values with moments as the counts that they are: the library would make them milliseconds, and round. */
export const withCounts = (values: Vector): Vector => new Vector(values.data.map(counted))

function counted(data: Data): Data {
  if (DataType.isTimestamp(data.type)) return data.clone(new Int64())
  if (data.children.length === 0) return data
  const children = data.children.map(counted)
  return data.clone(data.type, data.offset, data.length, data.nullCount, data.buffers, children)
}
