import type { TimeUnit } from '../columns/times.js'

/** What the schema of an Arrow table says of a column beyond what a Parquet file has words for. */
export interface ArrowField {
  readonly name: string
  /** The zone of its moments. */
  readonly zone?: string
  /** Where it holds lengths of time. */
  readonly duration?: TimeUnit
  readonly children: readonly ArrowField[]
}

const units: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns']
/** Numbers of types in the format's union `Type`, of fields in its tables. */
const timestampType = 10
const durationType = 18
const slot = { header: 2, fields: 1, name: 0, typeType: 2, type: 3, children: 5, unit: 0, zone: 1 } as const

/**
 * Reads the schema that writers keep in a Parquet file under the key `ARROW:schema`: a message of Arrow's IPC format in base64.
 * The package that reads Arrow files would take longer to load than most Parquet files to read.
 *
 * Source: Arrow columnar format 1.5, Message.fbs and Schema.fbs; FlatBuffers internals.
 *
 * @throws RangeError where it is damaged
 */
export function readArrowSchema(base64: string): readonly ArrowField[] {
  const bytes = Buffer.from(base64, 'base64')
  // Older writers leave out the mark before the length.
  const start = bytes.readUInt32LE(0) === 0xffffffff ? 8 : 4
  const message = start + bytes.readUInt32LE(start)
  const schema = tableAt(bytes, message, slot.header)
  return schema === undefined ? [] : fieldsOf(bytes, schema, slot.fields)
}

function fieldsOf(bytes: Buffer, table: number, at: number): readonly ArrowField[] {
  const list = tableAt(bytes, table, at)
  if (list === undefined) return []
  return Array.from({ length: bytes.readUInt32LE(list) }, (_, index) => {
    const place = list + 4 + 4 * index
    return fieldAt(bytes, place + bytes.readUInt32LE(place))
  })
}

function fieldAt(bytes: Buffer, field: number): ArrowField {
  const typeType = placeOf(bytes, field, slot.typeType)
  const number = typeType === undefined ? 0 : bytes.readUInt8(typeType)
  const type = tableAt(bytes, field, slot.type)
  const zone = number === timestampType && type !== undefined ? textAt(bytes, type, slot.zone) : undefined
  const duration = number === durationType && type !== undefined ? unitAt(bytes, type) : undefined
  return {
    name: textAt(bytes, field, slot.name) ?? '',
    ...(zone === undefined ? {} : { zone }),
    ...(duration === undefined ? {} : { duration }),
    children: fieldsOf(bytes, field, slot.children),
  }
}

/** Milliseconds where none is written. */
function unitAt(bytes: Buffer, type: number): TimeUnit {
  const place = placeOf(bytes, type, slot.unit)
  return units[place === undefined ? 1 : bytes.readInt16LE(place)] ?? 'ms'
}

function textAt(bytes: Buffer, table: number, at: number): string | undefined {
  const text = tableAt(bytes, table, at)
  return text === undefined ? undefined : bytes.toString('utf8', text + 4, text + 4 + bytes.readUInt32LE(text))
}

/** What a field of a table points at: a table, a list or a text. */
function tableAt(bytes: Buffer, table: number, at: number): number | undefined {
  const place = placeOf(bytes, table, at)
  return place === undefined ? undefined : place + bytes.readUInt32LE(place)
}

/** Where a field of a table lies; `undefined` where it is not written. */
function placeOf(bytes: Buffer, table: number, at: number): number | undefined {
  const layout = table - bytes.readInt32LE(table)
  const entry = 4 + 2 * at
  const offset = entry < bytes.readUInt16LE(layout) ? bytes.readUInt16LE(layout + entry) : 0
  return offset === 0 ? undefined : table + offset
}
