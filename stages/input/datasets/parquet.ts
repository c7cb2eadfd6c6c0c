import { open } from 'node:fs/promises'
import {
  parquetReadObjects,
  parquetSchema,
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
    for (const { rowStart, rowEnd } of slices(metadata, columns)) {
      const rows = await parquetReadObjects({
        file: buffer,
        metadata,
        compressors,
        parsers,
        utf8: false,
        useOffsetIndex: true,
        rowStart,
        rowEnd,
        ...(columns === undefined ? {} : { columns: [...columns] }),
      }).catch((error: unknown) => {
        const range = `rows ${rowStart} to ${rowEnd - 1}`
        throw new PipelineError('dataset', `${shownPath(file)} is damaged in ${range}: ${messageOf(error)}`, {
          cause: error,
        })
      })
      yield* plainRows(rows, file, rowStart)
    }
  } finally {
    await handle.close()
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
const sliceBytes = 16 * 2 ** 20
/** Without an index of pages each slice reads its column chunks from their start, so there are few. */
const slicesWithoutIndex = 8

/** Ranges of rows that never cross a row group. */
function* slices(metadata: FileMetaData, columns?: readonly string[]): Generator<{ rowStart: number; rowEnd: number }> {
  let start = 0
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows)
    const size = sliceRows(group, columns)
    for (let from = 0; from < rows; from += size)
      yield { rowStart: start + from, rowEnd: start + Math.min(rows, from + size) }
    start += rows
  }
}

function sliceRows(group: RowGroup, columns?: readonly string[]): number {
  const chunks = group.columns.filter(
    ({ meta_data: meta }) => columns === undefined || columns.includes(meta?.path_in_schema[0] ?? ''),
  )
  const bytes = chunks.reduce((sum, { meta_data: meta }) => sum + Number(meta?.total_uncompressed_size ?? 0), 0)
  const parts = Math.ceil(bytes / sliceBytes)
  const hasIndex = chunks.every(chunk => chunk.offset_index_offset !== undefined)
  return Math.max(1, Math.ceil(Number(group.num_rows) / (hasIndex ? parts : Math.min(parts, slicesWithoutIndex))))
}
