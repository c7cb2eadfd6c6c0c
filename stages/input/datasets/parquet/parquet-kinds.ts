import { type FileMetaData, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet'
import { readDecimalScale } from '../columns/exact-values.js'
import {
  makeDigitFloats,
  collectFloatFields,
  type FloatFields,
  type Floats,
  makeItemFloats,
  makeFieldFloats,
  makeTimeFloats,
  whole,
} from '../columns/floats.js'
import type { TimeKind, TimeUnit } from '../columns/times.js'

/** Finds the floating-point numbers, decimals and times among the columns of a Parquet file. */
export function floatsInParquet(footer: FileMetaData): FloatFields {
  const encodedSchema = footer.key_value_metadata?.find(({ key }) => key === 'ARROW:schema')?.value
  return floatsInColumns(parquetSchema(footer).children, encodedSchema === undefined ? [] : arrowFields(encodedSchema))
}

/** The fields of the Arrow schema. A damaged schema is ignored, since it only adds to the Parquet schema. */
function arrowFields(encodedSchema: string): readonly ArrowField[] {
  try {
    return readArrowSchema(encodedSchema)
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

const floatsInColumns = (columns: readonly SchemaTree[], arrow: readonly ArrowField[]): FloatFields =>
  collectFloatFields(
    columns.map(column => [column.element.name, column] as const),
    column =>
      floatsIn(
        column,
        arrow.find(({ name }) => name === column.element.name),
      ),
  )

function floatsIn({ element, children }: SchemaTree, arrow: ArrowField | undefined): Floats | undefined {
  const { type, converted_type: converted, logical_type: logical } = element
  const scale = readDecimalScale(element)
  if (scale !== undefined) return makeDigitFloats(scale)
  if (children.length === 0) {
    if (type === 'FLOAT' || type === 'DOUBLE' || logical?.type === 'FLOAT16') return true
    return makeTimeFloats(timeIn(element, arrow)) ?? (type === 'INT64' ? whole : undefined)
  }
  if (converted === 'MAP') return undefined
  if (converted !== 'LIST') return makeFieldFloats(floatsInColumns(children, arrow?.children ?? []))
  const [repeated] = children
  const item = repeated?.children.length === 1 ? repeated.children[0] : repeated
  return makeItemFloats(item && floatsIn(item, arrow?.children[0]))
}

const units = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const

/** The kind of time of a column. Time zones and durations are only in the Arrow schema. */
function timeIn(element: SchemaElement, arrow: ArrowField | undefined): TimeKind | undefined {
  const { type, converted_type: converted, logical_type: logical } = element
  if (converted === 'DATE' || logical?.type === 'DATE') return { of: 'date' }
  if (logical?.type === 'TIME') return { of: 'time', unit: units[logical.unit] }
  if (logical?.type === 'TIMESTAMP') {
    const unit = units[logical.unit]
    return logical.isAdjustedToUTC ? { of: 'datetime', unit, zone: arrow?.zone ?? 'UTC' } : { of: 'datetime', unit }
  }
  const unit = parseTimeUnit(converted)
  if (unit !== undefined) return { of: converted?.startsWith('TIMESTAMP') === true ? 'datetime' : 'time', unit }
  if (type === 'INT96') return { of: 'datetime', unit: 'ns' }
  return type === 'INT64' && arrow?.duration !== undefined ? { of: 'duration', unit: arrow.duration } : undefined
}

const parseTimeUnit = (converted: string | undefined): TimeUnit | undefined =>
  /^TIME(STAMP)?_MILLIS$/.test(converted ?? '')
    ? 'ms'
    : /^TIME(STAMP)?_MICROS$/.test(converted ?? '')
      ? 'us'
      : undefined

/** The facts about a column in an Arrow schema that a Parquet schema cannot express. */
interface ArrowField {
  readonly name: string
  /** The time zone of its timestamps. */
  readonly zone?: string
  /** The unit of its durations, if it contains any. */
  readonly duration?: TimeUnit
  readonly children: readonly ArrowField[]
}

const arrowUnits: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns']
/** Numbers of types in the format's union `Type`, and of fields in its tables. */
const timestampType = 10
const durationType = 18
const slot = { header: 2, fields: 1, name: 0, typeType: 2, type: 3, children: 5, unit: 0, zone: 1 } as const

/**
 * Parses the schema that writers store in a Parquet file under the key `ARROW:schema`: a message of Arrow's IPC
 * format in base64. It does not use the package for Arrow files, which takes longer to load than most Parquet files
 * to read.
 *
 *
 * Source: Arrow columnar format 1.5, Message.fbs and Schema.fbs; FlatBuffers internals.
 *
 *
 * @throws RangeError if it is damaged
 */
function readArrowSchema(base64: string): readonly ArrowField[] {
  const bytes = Buffer.from(base64, 'base64')
  // Older writers omit the marker before the length.
  const start = bytes.readUInt32LE(0) === 0xffffffff ? 8 : 4
  const message = start + bytes.readUInt32LE(start)
  const schema = tableAt(bytes, message, slot.header)
  return schema === undefined ? [] : readArrowFields(bytes, schema, slot.fields)
}

function readArrowFields(bytes: Buffer, table: number, at: number): readonly ArrowField[] {
  const list = tableAt(bytes, table, at)
  if (list === undefined) return []
  return Array.from({ length: bytes.readUInt32LE(list) }, (_, index) => {
    const offset = list + 4 + 4 * index
    return fieldAt(bytes, offset + bytes.readUInt32LE(offset))
  })
}

function fieldAt(bytes: Buffer, field: number): ArrowField {
  const typeType = findFieldOffset(bytes, field, slot.typeType)
  const number = typeType === undefined ? 0 : bytes.readUInt8(typeType)
  const type = tableAt(bytes, field, slot.type)
  const zone = number === timestampType && type !== undefined ? textAt(bytes, type, slot.zone) : undefined
  const duration = number === durationType && type !== undefined ? unitAt(bytes, type) : undefined
  return {
    name: textAt(bytes, field, slot.name) ?? '',
    ...(zone === undefined ? {} : { zone }),
    ...(duration === undefined ? {} : { duration }),
    children: readArrowFields(bytes, field, slot.children),
  }
}

/** The unit of a type; milliseconds if none is stored. */
function unitAt(bytes: Buffer, type: number): TimeUnit {
  const offset = findFieldOffset(bytes, type, slot.unit)
  return arrowUnits[offset === undefined ? 1 : bytes.readInt16LE(offset)] ?? 'ms'
}

function textAt(bytes: Buffer, table: number, at: number): string | undefined {
  const text = tableAt(bytes, table, at)
  return text === undefined ? undefined : bytes.toString('utf8', text + 4, text + 4 + bytes.readUInt32LE(text))
}

/** The offset of the table, list or text that a field refers to. */
function tableAt(bytes: Buffer, table: number, at: number): number | undefined {
  const offset = findFieldOffset(bytes, table, at)
  return offset === undefined ? undefined : offset + bytes.readUInt32LE(offset)
}

/** The offset of a field of a table; `undefined` if the field is not stored. */
function findFieldOffset(bytes: Buffer, table: number, at: number): number | undefined {
  const layout = table - bytes.readInt32LE(table)
  const entry = 4 + 2 * at
  const offset = entry < bytes.readUInt16LE(layout) ? bytes.readUInt16LE(layout + entry) : 0
  return offset === 0 ? undefined : table + offset
}
