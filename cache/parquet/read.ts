import { open } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { parquetMetadataAsync, parquetReadObjects, type AsyncBuffer, type FileMetaData } from 'hyparquet'
import { fileBuffer } from './file-buffer.js'
import type { Cell, Column, Columns, Flat } from './columns.js'

/**
 * Reads the rows of a Parquet file in batches, with one row group at a time in memory. Values keep their Parquet types:
 * an int64 is a `bigint`, bytes are a `Uint8Array` unless marked as text, an absent value is `null` or `undefined`.
 *
 * @throws Error if the file is missing, damaged or not Parquet
 */
export async function* readRows(
  file: string,
  columns?: readonly string[],
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const handle = await open(file, 'r')
  try {
    const buffer = await fileBuffer(handle)
    yield* rowGroups(buffer, await parquetMetadataAsync(buffer), columns)
  } finally {
    await handle.close()
  }
}

async function* rowGroups(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly string[] | undefined,
): AsyncGenerator<readonly Readonly<Record<string, unknown>>[]> {
  const compressors = await compressorsFor(metadata)
  // A file of an older version lacks columns that were added later. They are nullable.
  const present = new Set(metadata.schema.map(({ name }) => name))
  const wanted = columns?.filter(name => present.has(name))
  let rowStart = 0
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows)
    yield await parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      // Bytes stay bytes. Decoding them as text would damage binary data.
      utf8: false,
      ...(wanted ? { columns: wanted } : {}),
      compressors,
    })
    rowStart = rowEnd
  }
}

/** Loads decompressors when a file needs them. Snappy comes with hyparquet and gzip with Node. */
async function compressorsFor(metadata: FileMetaData) {
  const codecs = new Set(metadata.row_groups.flatMap(group => group.columns.map(column => column.meta_data?.codec)))
  for (const codec of [undefined, 'UNCOMPRESSED', 'SNAPPY', 'GZIP'] as const) codecs.delete(codec)
  return codecs.size === 0 ? { GZIP: gunzip } : (await import('./compressors.js')).compressors
}

/** Some writers compress empty data to nothing, which gunzip would reject. */
const gunzip = (bytes: Uint8Array, length: number): Uint8Array => (length === 0 ? new Uint8Array() : gunzipSync(bytes))

/**
 * Reads a file that {@link writeParquet} wrote with the same columns. Other columns of the file are ignored.
 *
 * @throws TypeError if a value is missing or has another type
 */
export async function* readParquet<Row extends Flat<Row>>(
  file: string,
  columns: Columns<Row>,
): AsyncGenerator<readonly Row[]> {
  const columnEntries = Object.entries<Column>(columns)
  const isRow = (row: Record<string, Cell>): row is Record<string, Cell> & Row =>
    Object.keys(row).length === columnEntries.length
  for await (const rows of readRows(
    file,
    columnEntries.map(([name]) => name),
  )) {
    yield rows.map(row => {
      const cells = Object.fromEntries(columnEntries.map(([name, column]) => [name, cell(name, column, row[name])]))
      if (!isRow(cells)) throw new TypeError(`internal error: columns of ${file}`)
      return cells
    })
  }
}

function cell(name: string, column: Column, value: unknown): Cell {
  if (value === null || value === undefined) {
    if (column.nullable) return null
  } else if (column.type === 'text') {
    if (typeof value === 'string') return value
  } else if (column.type === 'integer' || column.type === 'wide') {
    if (typeof value === 'number') return value
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return Number(value)
  } else if (value instanceof Date) return value.getTime()
  throw new TypeError(`column ${name}: expected ${column.type}, found ${value === null ? 'nothing' : typeof value}`)
}
