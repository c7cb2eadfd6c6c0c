import { DataType, Int64, Vector, type Data } from 'apache-arrow'
import type { TimeKind, TimeUnit } from '../columns/times.js'

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
export function timeCount(value: number | bigint, kind: TimeKind): bigint {
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
