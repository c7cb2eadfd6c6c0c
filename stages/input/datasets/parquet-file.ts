import { open, type FileHandle } from 'node:fs/promises'
import { parquetMetadataAsync, type AsyncBuffer, type FileMetaData } from 'hyparquet'
import { PipelineError, messageOf } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { unreadable } from './text-lines.js'

/** Runs `use` with the file open for reads of any range. */
export async function withFile<T>(file: string, use: (buffer: AsyncBuffer) => Promise<T>): Promise<T> {
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  try {
    return await use(await bufferOf(handle))
  } finally {
    await handle.close()
  }
}

export async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat()
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new ArrayBuffer(Math.max(0, end - start))
      await handle.read(new Uint8Array(bytes), { position: start })
      return bytes
    },
  }
}

/** What the end of a Parquet file says of it. @throws PipelineError where it is empty, cut short or something else. */
export async function readFooter(file: string, buffer: AsyncBuffer): Promise<FileMetaData> {
  const name = shownPath(file)
  if (buffer.byteLength === 0) throw new PipelineError('dataset', `${name} is empty`)
  const ends = [await buffer.slice(0, 4), await buffer.slice(Math.max(0, buffer.byteLength - 4))]
  const [start, end] = ends.map(bytes => Buffer.from(bytes).toString('latin1'))
  if (start !== 'PAR1') throw new PipelineError('dataset', `${name} is not a Parquet file`)
  if (end !== 'PAR1')
    throw new PipelineError('dataset', `${name} is a Parquet file that was cut short (its end is missing)`)
  const footer = await parquetMetadataAsync(buffer).catch((error: unknown) => {
    throw new PipelineError('dataset', `${name} is a damaged Parquet file: ${messageOf(error)}`, { cause: error })
  })
  checkExtents(footer, { name, size: buffer.byteLength })
  return footer
}

function checkExtents(footer: FileMetaData, file: { readonly name: string; readonly size: number }): void {
  for (const { columns } of footer.row_groups)
    for (const { meta_data: meta } of columns) {
      if (meta === undefined) continue
      const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset)
      if (start + Number(meta.total_compressed_size) > file.size)
        throw new PipelineError(
          'dataset',
          `${file.name} is a damaged Parquet file: column ${meta.path_in_schema.join('.')} reaches beyond its end`,
        )
    }
}
