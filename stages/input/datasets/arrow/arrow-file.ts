import { open, type FileHandle } from 'node:fs/promises'
import type { AsyncRecordBatchStreamReader, DataType, Field, RecordBatch } from 'apache-arrow'
import { PipelineError, messageOf } from '../../../../base/errors/errors.js'
import { openZstandard } from '../../../../base/files/zstandard.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { Column, Dataset, Doc } from '../dataset.js'
import { featuresInMetadata } from '../columns/features.js'
import {
  makeDigitFloats,
  collectFloatFields,
  makeItemFloats,
  makeFieldFloats,
  makeTimeFloats,
  whole,
  type FloatFields,
  type Floats,
} from '../columns/floats.js'
import { unreadable } from '../text-lines.js'
import { readLz4Frame } from './lz4-frame.js'
import { arrowValue, listChildFields, isDecimal, formatTypeName, timeKind, withCounts } from './arrow-value.js'

/** Opens an Arrow IPC file or stream (`.arrow`, `.feather`). One record batch is read at a time. */
export async function openArrow(file: string): Promise<Dataset> {
  const { columns, features, floats, isEmpty } = await withReader(file, async reader => {
    const { schema } = reader
    const first = await reader.next()
    return {
      columns: schema.fields.map((field): Column => ({ name: field.name, isMedia: holdsBytes(field) })),
      features: featuresInMetadata(schema.metadata.get('huggingface')),
      floats: floatsInFields(schema.fields),
      isEmpty: first.done === true,
    }
  })
  if (isEmpty) throw new PipelineError('dataset', `${shownPath(file)} holds no rows`)
  return {
    files: [file],
    columns,
    ...(features === undefined ? {} : { features }),
    findFloats: () => Promise.resolve(floats),
    rows: options => readRows(file, options?.columns),
  }
}

/** Returns whether a field is raw bytes, or a struct or list that contains them. */
export function holdsBytes({ type }: Field): boolean {
  const children = listChildFields(type as DataType)
  return children.length > 0
    ? children.some(holdsBytes)
    : /^(Large|FixedSize)?Binary/.test(formatTypeName(type as DataType))
}

/** Finds the columns that contain floating-point numbers, decimals or times. */
export const floatsInFields = (fields: readonly Field[]): FloatFields =>
  collectFloatFields(
    fields.map(field => [field.name, field] as const),
    ({ type }) => floatsIn(type as DataType),
  )

function floatsIn(type: DataType): Floats | undefined {
  if (/^Float\d/.test(formatTypeName(type))) return true
  if (isDecimal(type)) return makeDigitFloats(type.scale)
  if (formatTypeName(type).startsWith('Map')) return undefined
  const time = timeKind(type)
  if (time !== undefined) return makeTimeFloats(time)
  if (/^Uint64|^Int64/.test(formatTypeName(type))) return whole
  const children = listChildFields(type)
  if (!/^(Large|FixedSize)?List/.test(formatTypeName(type))) return makeFieldFloats(floatsInFields(children))
  return makeItemFloats(children[0] && floatsIn(children[0].type as DataType))
}

async function* readRows(file: string, columns?: readonly string[]): AsyncGenerator<Doc> {
  const handle = await openFile(file)
  try {
    const reader = await openBatchReader(handle, file)
    let row = 0
    for (;;) {
      const next = await reader.next().catch((error: unknown) => {
        throw makeDamageError(file, error)
      })
      if (next.done === true) return
      yield* readBatchRows(next.value, { file, row, ...(columns === undefined ? {} : { columns }) })
      row += next.value.numRows
    }
  } finally {
    await handle.close()
  }
}

/** Yields the rows of one batch. `row` is the number of the first row, for messages. */
export function* readBatchRows(
  batch: RecordBatch,
  { file, row, columns }: { readonly file: string; readonly row: number; readonly columns?: readonly string[] },
): Generator<Doc> {
  const fields = batch.schema.fields.flatMap((field, index) => {
    const values = batch.getChildAt(index)
    return values === null || columns?.includes(field.name) === false ? [] : [{ field, values: withCounts(values) }]
  })
  for (let index = 0; index < batch.numRows; index++) {
    const at = row + index
    yield Object.fromEntries(
      fields.map(({ field: { name, type }, values }) => [
        name,
        arrowValue(values.get(index), type as DataType, () => `${shownPath(file)}, row ${at}, column "${name}"`),
      ]),
    )
  }
}

async function withReader<T>(file: string, use: (reader: AsyncRecordBatchStreamReader) => Promise<T>): Promise<T> {
  const handle = await openFile(file)
  try {
    return await use(await openBatchReader(handle, file))
  } catch (error) {
    throw error instanceof PipelineError ? error : makeDamageError(file, error)
  } finally {
    await handle.close()
  }
}

const openFile = (file: string): Promise<FileHandle> =>
  open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })

/** The maximum size of one compressed buffer when decompressed: that of a buffer of Arrow with offsets of 32 bits. */
const mostBufferBytes = 2 ** 31

async function openBatchReader(handle: FileHandle, file: string): Promise<AsyncRecordBatchStreamReader> {
  const { RecordBatchReader, compressionRegistry, CompressionType } = await import('apache-arrow')
  const decompress = await openZstandard()
  // The copy starts at an aligned address, as typed arrays require.
  compressionRegistry.set(CompressionType.ZSTD, { decode: bytes => decompress(bytes, mostBufferBytes) })
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: readLz4Frame })
  const { size } = await handle.stat()
  if (size === 0) throw new PipelineError('dataset', `${shownPath(file)} is empty`)
  const reader = await RecordBatchReader.from(handle)
  return reader.open({ autoDestroy: false })
}

const makeDamageError = (file: string, error: unknown): PipelineError =>
  new PipelineError('dataset', `${shownPath(file)} is a damaged Arrow file, or none: ${messageOf(error)}`, {
    cause: error,
  })
