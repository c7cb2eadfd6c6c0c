import type { AsyncBuffer } from 'hyparquet'

/** A page of a Parquet column, as its header tells it. */
export interface PageHeader {
  readonly headerBytes: number
  readonly bodyBytes: number
  /** Of a page of values; `undefined` of a dictionary. */
  readonly rows?: number
}

export interface PageLocation {
  readonly offset: number
  /** With the header. */
  readonly size: number
  readonly firstRow: number
}

/** Bytes that nearly all headers fit in, and those with statistics of long values. */
const looks = [256, 64 * 2 ** 10]

/** Reads the header of the page at a position. @returns undefined where it is none that is known */
export async function readPageHeader(file: AsyncBuffer, at: number, end: number): Promise<PageHeader | undefined> {
  for (const bytes of looks) {
    const header = parse(new DataView(await file.slice(at, Math.min(end, at + bytes))))
    if (header !== undefined) return header
  }
  return undefined
}

type Fields = ReadonlyMap<number, number | Fields>

/** Source: parquet.thrift, `PageHeader`: 1 type, 2 and 3 sizes, 5 and 8 data pages of version 1 and 2. */
function parse(view: DataView): PageHeader | undefined {
  const reader = { view, at: 0 }
  let fields: Fields
  try {
    fields = readStruct(reader)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  const bodyBytes = fields.get(3)
  const [v1, v2] = [fields.get(5), fields.get(8)]
  const rows = typeof v1 === 'object' ? v1.get(1) : typeof v2 === 'object' ? v2.get(3) : undefined
  if (typeof bodyBytes !== 'number' || bodyBytes < 0) return undefined
  return { headerBytes: reader.at, bodyBytes, ...(typeof rows === 'number' ? { rows } : {}) }
}

interface Reader {
  readonly view: DataView
  at: number
}

/** A struct of Thrift's compact protocol: whole numbers and structs; what else is in it is passed over. */
function readStruct(reader: Reader): Fields {
  const fields = new Map<number, number | Fields>()
  for (let id = 0; ;) {
    const byte = reader.view.getUint8(reader.at++)
    if (byte === 0) return fields
    id = byte >> 4 === 0 ? zigZag(reader) : id + (byte >> 4)
    const value = readValue(reader, byte & 15)
    if (value !== undefined) fields.set(id, value)
  }
}

function readValue(reader: Reader, type: number): number | Fields | undefined {
  switch (type) {
    case 1:
    case 2:
      return undefined
    case 3:
      reader.at++
      return undefined
    case 4:
    case 5:
    case 6:
      return zigZag(reader)
    case 7:
      reader.at += 8
      return undefined
    case 8:
      reader.at += varint(reader)
      return undefined
    case 12:
      return readStruct(reader)
    default:
      throw new RangeError(`no type ${type} in a page header`)
  }
}

function varint(reader: Reader): number {
  let value = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.view.getUint8(reader.at++)
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
}

function zigZag(reader: Reader): number {
  const value = varint(reader)
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}

/** An `OffsetIndex` of parquet.thrift: a list of `{1: offset, 2: size, 3: first row}`. */
export function writeOffsetIndex(pages: readonly PageLocation[]): ArrayBuffer {
  const bytes: number[] = [0x19]
  const write = (value: number): void => {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
    bytes.push(rest)
  }
  if (pages.length < 15) bytes.push((pages.length << 4) | 12)
  else {
    bytes.push(0xfc)
    write(pages.length)
  }
  for (const { offset, size, firstRow } of pages) {
    bytes.push(0x16)
    write(2 * offset)
    bytes.push(0x15)
    write(2 * size)
    bytes.push(0x16)
    write(2 * firstRow)
    bytes.push(0)
  }
  bytes.push(0)
  return Uint8Array.from(bytes).buffer
}
