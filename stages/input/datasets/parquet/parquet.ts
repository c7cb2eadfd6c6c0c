import { open, type FileHandle } from 'node:fs/promises'
import {
  parquetReadObjects,
  parquetSchema,
  type ColumnChunk,
  type FileMetaData,
  type ParquetParsers,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet'
import { PipelineError, messageOf } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { compressors } from '../../../../cache/parquet/compressors.js'
import type { Doc } from '../../tasks/doc.js'
import type { Column, Dataset } from '../dataset.js'
import { decimalValue, plainValue, wholeNumber, withoutDecimals } from '../columns/exact-values.js'
import { featuresInMetadata } from '../columns/features.js'
import { holdsCounts, isCount, mapNumbers, type FloatFields, type FloatLeaf, type Floats } from '../columns/floats.js'
import { type IndexedGroup, isLarge, withPageIndex } from './page-index.js'
import { makeAsyncBuffer, getAgain, lentBuffer, readFooter, withFile } from './parquet-file.js'
import { floatsInParquet } from './parquet-kinds.js'
import { isPlain, readLeafPath, mergeRows, withLeaves, type Leaf } from './parquet-leaves.js'
import { timeText } from '../columns/times.js'

/** Opens a Parquet file of any writer and codec. A few megabytes of rows are read at a time. */
export async function openParquet(file: string): Promise<Dataset> {
  const footer = await withFile(file, buffer => readFooter(file, buffer))
  const count = Number(footer.num_rows)
  if (count === 0) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  const columns = parquetSchema(footer).children.map(describeColumn)
  const features = featuresInMetadata(footer.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value)
  return {
    files: [file],
    columns,
    count,
    ...(features === undefined ? {} : { features }),
    findFloats: () => Promise.resolve(floatsInParquet(footer)),
    rows: options => readRows(file, footer, options?.columns),
  }
}

function describeColumn(column: SchemaTree): Column {
  return { name: column.element.name, isMedia: holdsBytes(column) }
}

/** Returns whether a column is raw bytes, or a group that contains them. Text columns are annotated bytes and don't count. */
function holdsBytes({ element, children }: SchemaTree): boolean {
  if (children.length > 0) return children.some(holdsBytes)
  return element.type === 'BYTE_ARRAY' && element.converted_type === undefined && element.logical_type === undefined
}

/**
 * Decimals and times stay integers, because their text depends on the column's type. JSON stays a text, as in
 * `datasets`.
 */
const parsers: Partial<ParquetParsers> = {
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString(),
  timestampFromMilliseconds: count => count,
  timestampFromMicroseconds: count => count,
  timestampFromNanoseconds: count => count,
  dateFromDays: count => count,
}

async function* readRows(file: string, metadata: FileMetaData, columns?: readonly string[]): AsyncGenerator<Doc> {
  const handle = await open(file)
  try {
    const buffer = await makeAsyncBuffer(handle)
    const schema = parquetSchema(metadata)
    const raw = withoutDecimals(metadata)
    const counts = countsIn(floatsInParquet(metadata))
    let start = 0
    for (const group of metadata.row_groups) {
      const chosenGroup = columns === undefined ? group : withColumns(group, columns)
      const indexed = isLarge(chosenGroup)
        ? await withPageIndex(chosenGroup, buffer, schema)
        : { group: chosenGroup, file: buffer }
      yield* readGroup({ ...indexed, handle, size: buffer.byteLength, metadata: raw, counts, start, name: file })
      start += Number(group.num_rows)
    }
  } finally {
    await handle.close()
  }
}

const readTopName = (chunk: ColumnChunk): string => readLeafPath(chunk)[0] ?? ''

const withColumns = (group: RowGroup, names: readonly string[]): RowGroup => ({
  ...group,
  columns: group.columns.filter(chunk => names.includes(readTopName(chunk))),
})

interface GroupPart extends IndexedGroup {
  readonly handle: FileHandle
  /** The size of the file itself. */
  readonly size: number
  readonly metadata: FileMetaData
  /** The columns of decimals and times. */
  readonly counts: Counts
  /** The index of its first row. */
  readonly start: number
  readonly name: string
}

type Row = Readonly<Record<string, unknown>>

/**
 * Yields the rows of one row group. Wide columns, such as images, are read separately in slices of fewer rows. A
 * page of short values, such as image names, covers very many rows, and would otherwise be read again for each
 * small slice.
 */
async function* readGroup(part: GroupPart): AsyncGenerator<Doc> {
  const { group, metadata } = part
  const schema = parquetSchema(metadata)
  const names = [...new Set(group.columns.map(readTopName))]
  const wide = group.columns.filter(chunk => readChunkBytes(chunk) > sliceBytes)
  // All columns of a list are read together.
  const wideLeaves = new Set(
    wide.map(chunk => (isPlain(readLeafPath(chunk), schema) ? readLeafPath(chunk).join('\0') : readTopName(chunk))),
  )
  const isWide = (leaf: Leaf): boolean =>
    isPlain(leaf, schema) ? wideLeaves.has(leaf.join('\0')) : wideLeaves.has(leaf[0] ?? '')
  const leaves = group.columns.map(readLeafPath)
  const isMixed = leaves.some(isWide) && !leaves.every(isWide)
  const rows = isMixed ? besides(part, isWide) : readSlices(part, () => true)
  const { counts } = part
  for await (const row of rows) yield withoutCounts(plainRow(row, names), counts, part.name)
}

type Counts = readonly (readonly [string, Floats])[]

const countsIn = (floats: FloatFields): Counts => Object.entries(floats).filter(([, kind]) => holdsCounts(kind))

function withoutCounts(row: Doc, counts: Counts, file: string): Doc {
  if (counts.length === 0) return row
  const own = counts.filter(([name]) => row[name] !== undefined)
  return {
    ...row,
    ...Object.fromEntries(
      own.map(([name, floats]) => {
        const locate = (): string => `${shownPath(file)}, column "${name}"`
        return [name, mapNumbers(row[name], floats, (value, of) => convertCount(value, of, locate))]
      }),
    ),
  }
}

function convertCount(value: unknown, of: FloatLeaf, locate: () => string): unknown {
  if (!isCount(of)) return value
  const count = value instanceof Uint8Array ? wholeNumber(value) : BigInt(value as number | string)
  return 'time' in of ? timeText(count, of.time, locate) : decimalValue(count, of.digits)
}

/** Yields rows whose wide columns are read separately from the other columns. */
async function* besides(part: GroupPart, isWide: (leaf: Leaf) => boolean): AsyncGenerator<Row> {
  const narrowRows = readSlices(part, leaf => !isWide(leaf))
  for await (const row of readSlices(part, isWide)) {
    const next = await narrowRows.next()
    yield next.done === true ? row : mergeRows(row, next.value)
  }
}

/** Yields the rows of some columns, a few megabytes at a time. A row is valid only until the next one is requested. */
async function* readSlices(part: GroupPart, isAsked: (leaf: Leaf) => boolean): AsyncGenerator<Row> {
  const { start, name } = part
  const lent = lentBuffer(part.handle, part)
  const lending = lent.lending(compressors)
  // The metadata contains only this group, so that the reader does not search all groups for each slice.
  const { group, metadata } = withLeaves(part.metadata, part.group, isAsked)
  const rows = Number(group.num_rows)
  const size = sliceRows(group)
  for (let rowStart = 0; rowStart < rows; rowStart += size) {
    const rowEnd = Math.min(rows, rowStart + size)
    yield* await parquetReadObjects({
      file: lent.file,
      metadata,
      compressors: lending,
      parsers,
      utf8: false,
      useOffsetIndex: true,
      rowStart,
      rowEnd,
      columns: [...new Set(group.columns.map(readTopName))],
    }).catch((error: unknown) => {
      const range = `rows ${start + rowStart} to ${start + rowEnd - 1}`
      throw new PipelineError(
        'dataset',
        `${shownPath(name)} is damaged in ${range} (${messageOf(error)}). ${getAgain}`,
        {
          cause: error,
        },
      )
    })
    lent.release()
  }
}

const plainRow = (row: Row, names: readonly string[]): Doc =>
  Object.fromEntries(names.map(name => [name, plainValue(row[name])] as const))

/** The maximum number of uncompressed bytes in memory. */
const sliceBytes = 4 * 2 ** 20
/** The maximum number of rows in memory. Short values would allow many more by size. */
const mostRows = 8_192
/** Without a page index each slice reads its column chunks from the start, so the number of slices is small. */
const slicesWithoutIndex = 8
/** A chunk up to this size may be read again for each slice. */
const smallBytes = 4 * 2 ** 20

function sliceRows(group: RowGroup): number {
  const { columns, num_rows: rows } = group
  const parts = Math.ceil(bytesIn(group) / sliceBytes)
  const canBeCut = columns.every(
    chunk => chunk.offset_index_offset !== undefined || readChunkBytes(chunk) <= smallBytes,
  )
  const size = Math.max(1, Math.ceil(Number(rows) / (canBeCut ? parts : Math.min(parts, slicesWithoutIndex))))
  return canBeCut ? Math.min(size, mostRows) : size
}

const readChunkBytes = ({ meta_data: meta }: ColumnChunk): number => Number(meta?.total_uncompressed_size ?? 0)

const bytesIn = ({ columns }: RowGroup): number => columns.reduce((sum, chunk) => sum + readChunkBytes(chunk), 0)
