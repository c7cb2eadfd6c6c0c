import type { AsyncBuffer, ColumnChunk, RowGroup, SchemaTree } from 'hyparquet'

/** A row group that can be read in parts, and the file with an index appended. */
export interface IndexedGroup {
  readonly group: RowGroup
  readonly file: AsyncBuffer
}

/** The smallest column chunk, in bytes, for which reading the page headers pays off. */
const leastBytes = 4 * 2 ** 20

/**
 * Adds the page index that a row group's writer left out, as pyarrow does by default. Parts of the group can then
 * be read alone. The page headers are read in sequence, and the index is placed after the end of the file. Columns
 * with lists get no index, because the headers don't show where a row of them starts.
 */
export async function withPageIndex(group: RowGroup, file: AsyncBuffer, schema: SchemaTree): Promise<IndexedGroup> {
  const added: { readonly start: number; readonly bytes: ArrayBuffer }[] = []
  let end = file.byteLength
  const columns: ColumnChunk[] = []
  for (const chunk of group.columns) {
    const bytes = needsIndex(chunk, schema) ? await buildPageIndex(chunk, file) : undefined
    if (bytes === undefined) columns.push(chunk)
    else {
      columns.push({ ...chunk, offset_index_offset: BigInt(end), offset_index_length: bytes.byteLength })
      added.push({ start: end, bytes })
      end += bytes.byteLength
    }
  }
  if (added.length === 0) return { group, file }
  const slice = (start: number, stop?: number): Promise<ArrayBuffer> | ArrayBuffer => {
    const addedIndex = added.find(entry => entry.start === start)
    return addedIndex === undefined ? file.slice(start, stop) : addedIndex.bytes
  }
  return { group: { ...group, columns }, file: { byteLength: end, slice } }
}

function needsIndex({ meta_data: meta, offset_index_offset: index }: ColumnChunk, schema: SchemaTree): boolean {
  if (meta === undefined || index !== undefined) return false
  let node: SchemaTree | undefined = schema
  for (const name of meta.path_in_schema) {
    node = node.children.find(child => child.element.name === name)
    if (node === undefined || node.element.repetition_type === 'REPEATED') return false
  }
  return true
}

/** Builds a column chunk's index; `undefined` if its page headers don't show the number of rows. */
async function buildPageIndex({ meta_data: meta }: ColumnChunk, file: AsyncBuffer): Promise<ArrayBuffer | undefined> {
  if (meta === undefined) return undefined
  const first = Number(meta.dictionary_page_offset ?? meta.data_page_offset)
  const start = first > 0 ? first : Number(meta.data_page_offset)
  const end = start + Number(meta.total_compressed_size)
  const pages: PageLocation[] = []
  let row = 0
  for (let at = start; at < end;) {
    const header = await readPageHeader(file, at, end)
    if (header === undefined) return undefined
    const size = header.headerBytes + header.bodyBytes
    if (header.rows !== undefined) {
      pages.push({ offset: at, size, firstRow: row })
      row += header.rows
    }
    at += size
  }
  return pages.length > 0 && row === Number(meta.num_values) ? writeOffsetIndex(pages) : undefined
}

/** Returns whether a row group is so large that it is read in parts. */
export const isLarge = (group: RowGroup): boolean =>
  group.columns.some(({ meta_data: meta }) => Number(meta?.total_compressed_size ?? 0) >= leastBytes)

/** The header of a page of a Parquet column. */
interface PageHeader {
  readonly headerBytes: number
  readonly bodyBytes: number
  /** The number of rows of a data page; `undefined` for a dictionary page. */
  readonly rows?: number
}

interface PageLocation {
  readonly offset: number
  /** The size in bytes, with the header. */
  readonly size: number
  readonly firstRow: number
}

/** The numbers of bytes to try for a header: enough for nearly all headers, then enough for statistics of long values. */
const looks = [256, 64 * 2 ** 10]

/** Reads the header of the page at a position. @returns undefined if it is not a known page header */
async function readPageHeader(file: AsyncBuffer, at: number, end: number): Promise<PageHeader | undefined> {
  for (const bytes of looks) {
    const header = parse(new DataView(await file.slice(at, Math.min(end, at + bytes))))
    if (header !== undefined) return header
  }
  return undefined
}

type Fields = ReadonlyMap<number, number | Fields>

/**
 * Parses a header.
 * Source: parquet.thrift, `PageHeader`: 1 type, 2 and 3 sizes, 5 and 8 data pages of version 1 and 2.
 */
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

/** Reads a struct of Thrift's compact protocol. Integers and structs are kept; all other fields are skipped. */
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

/** Writes an `OffsetIndex` of parquet.thrift: a list of `{1: offset, 2: size, 3: first row}`. */
function writeOffsetIndex(pages: readonly PageLocation[]): ArrayBuffer {
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
