import { open } from 'node:fs/promises'
import {
  parquetReadObjects,
  parquetSchema,
  type ColumnChunk,
  type FileMetaData,
  type ParquetParsers,
  type RowGroup,
  type SchemaTree,
} from 'hyparquet'
import { PipelineError, messageOf } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { compressors } from '../../../cache/parquet/compressors.js'
import type { Doc } from '../tasks/doc.js'
import type { Column, Dataset } from './dataset.js'
import { featuresInMetadata } from './features.js'
import { isLarge, withPageIndex, type IndexedGroup } from './page-index.js'
import { bufferOf, readFooter, withFile } from './parquet-file.js'
import { plainValue } from './plain-value.js'

/** A Parquet file of any writer and codec, read a few megabytes of rows at a time. */
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
    rows: options => readRows(file, footer, options?.columns),
  }
}

function describeColumn(column: SchemaTree): Column {
  return { name: column.element.name, isMedia: holdsBytes(column) }
}

/** Raw bytes, or a group with raw bytes anywhere in it. Text is bytes with a note that it is text. */
function holdsBytes({ element, children }: SchemaTree): boolean {
  if (children.length > 0) return children.some(holdsBytes)
  return element.type === 'BYTE_ARRAY' && element.converted_type === undefined && element.logical_type === undefined
}

/** A day is a day, not a moment of it. */
const parsers: Partial<ParquetParsers> = {
  dateFromDays: days => new Date(days * 86_400_000).toISOString().slice(0, 10),
}

async function* readRows(file: string, metadata: FileMetaData, columns?: readonly string[]): AsyncGenerator<Doc> {
  const handle = await open(file)
  try {
    const buffer = await bufferOf(handle)
    const schema = parquetSchema(metadata)
    let start = 0
    for (const group of metadata.row_groups) {
      const asked = columns === undefined ? group : withColumns(group, columns)
      const indexed = isLarge(asked) ? await withPageIndex(asked, buffer, schema) : { group: asked, file: buffer }
      yield* readGroup({ ...indexed, metadata, start, name: file })
      start += Number(group.num_rows)
    }
  } finally {
    await handle.close()
  }
}

const topOf = ({ meta_data: meta }: ColumnChunk): string => meta?.path_in_schema[0] ?? ''

const withColumns = (group: RowGroup, names: readonly string[]): RowGroup => ({
  ...group,
  columns: group.columns.filter(chunk => names.includes(topOf(chunk))),
})

interface GroupPart extends IndexedGroup {
  readonly metadata: FileMetaData
  /** Index of its first row. */
  readonly start: number
  readonly name: string
}

/**
 * The rows of one row group. Columns of pictures and such are read apart from the others, fewer rows at a time: a page of short
 * values has those of many pictures, and would be read again for each few of them.
 */
async function* readGroup(part: GroupPart): AsyncGenerator<Doc> {
  const { group } = part
  const names = [...new Set(group.columns.map(topOf))]
  const wide = names.filter(name => bytesIn(withColumns(group, [name])) > sliceBytes)
  if (wide.length === 0 || wide.length === names.length) {
    yield* readSlices(part)
    return
  }
  const narrow = names.filter(name => !wide.includes(name))
  const others = readSlices({ ...part, group: withColumns(group, narrow) })
  for await (const row of readSlices({ ...part, group: withColumns(group, wide) })) {
    const next = await others.next()
    const rest: Doc = next.done === true ? {} : next.value
    yield Object.fromEntries(names.map(name => [name, name in row ? row[name] : rest[name]]))
  }
}

/** The rows of some columns, a few megabytes at a time. */
async function* readSlices(part: GroupPart): AsyncGenerator<Doc> {
  const { group, file, start, name } = part
  const rows = Number(group.num_rows)
  const size = sliceRows(group)
  // A file of this group alone, so that its rows are not looked for among all groups again and again.
  const metadata = { ...part.metadata, row_groups: [group], num_rows: group.num_rows }
  for (let rowStart = 0; rowStart < rows; rowStart += size) {
    const rowEnd = Math.min(rows, rowStart + size)
    const read = await parquetReadObjects({
      file,
      metadata,
      compressors,
      parsers,
      utf8: false,
      useOffsetIndex: true,
      rowStart,
      rowEnd,
      columns: [...new Set(group.columns.map(topOf))],
    }).catch((error: unknown) => {
      const range = `rows ${start + rowStart} to ${start + rowEnd - 1}`
      throw new PipelineError('dataset', `${shownPath(name)} is damaged in ${range}: ${messageOf(error)}`, {
        cause: error,
      })
    })
    yield* plainRows(read, name, start + rowStart)
  }
}

function* plainRows(rows: readonly Record<string, unknown>[], file: string, first: number): Generator<Doc> {
  for (const [index, row] of rows.entries()) {
    const place = (column: string): string => `${shownPath(file)}, row ${first + index}, column "${column}"`
    yield Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, plainValue(value, () => place(name))] as const),
    )
  }
}

/** Uncompressed bytes that are held at once. */
const sliceBytes = 8 * 2 ** 20
/** Without an index of pages each slice reads its column chunks from their start, so there are few. */
const slicesWithoutIndex = 8
/** A chunk that is as small as this may be read again for every slice. */
const smallBytes = 4 * 2 ** 20

function sliceRows(group: RowGroup): number {
  const { columns, num_rows: rows } = group
  const parts = Math.ceil(bytesIn(group) / sliceBytes)
  const canBeCut = columns.every(chunk => chunk.offset_index_offset !== undefined || bytesOf(chunk) <= smallBytes)
  return Math.max(1, Math.ceil(Number(rows) / (canBeCut ? parts : Math.min(parts, slicesWithoutIndex))))
}

const bytesOf = ({ meta_data: meta }: ColumnChunk): number => Number(meta?.total_uncompressed_size ?? 0)

const bytesIn = ({ columns }: RowGroup): number => columns.reduce((sum, chunk) => sum + bytesOf(chunk), 0)
