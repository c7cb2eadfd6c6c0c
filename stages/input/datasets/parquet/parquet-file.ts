import { open, type FileHandle } from 'node:fs/promises'
import { parquetMetadataAsync, type AsyncBuffer, type Compressors, type FileMetaData } from 'hyparquet'
import { PipelineError, messageOf } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { unreadable } from '../text-lines.js'

/** Runs `use` with an open file that supports reads of any range. */
export async function withFile<T>(file: string, use: (buffer: AsyncBuffer) => Promise<T>): Promise<T> {
  const handle = await open(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  try {
    return await use(await makeAsyncBuffer(handle))
  } finally {
    await handle.close()
  }
}

export async function makeAsyncBuffer(handle: FileHandle): Promise<AsyncBuffer> {
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

/** The smallest read, in bytes, whose memory is freed explicitly. */
const leastLent = 64 * 2 ** 10

export interface LentBuffer {
  readonly file: AsyncBuffer
  /** Wraps decompressors, so that their output is freed by `release` too. */
  lending(compressors: Compressors): Compressors
  /** Frees everything read since the last call. The data must not be used afterwards. */
  release(): void
}

/**
 * Makes a file whose large buffers are freed explicitly. The garbage collector only counts JavaScript objects, so hundreds of megabytes of buffers
 * could accumulate.
 *
 * @param file the underlying reader; its bytes are those of the handle up to `size`
 */
export function lentBuffer(
  handle: FileHandle,
  { file, size }: { readonly file: AsyncBuffer; readonly size: number },
): LentBuffer {
  const lent: ArrayBuffer[] = []
  const lend = (length: number): ArrayBuffer => {
    const bytes = new ArrayBuffer(length, { maxByteLength: length })
    lent.push(bytes)
    return bytes
  }
  const copyToLent = (bytes: Uint8Array): Uint8Array => {
    if (bytes.length < leastLent) return bytes
    const copy = new Uint8Array(lend(bytes.length))
    copy.set(bytes)
    return copy
  }
  return {
    lending: compressors =>
      Object.fromEntries(
        Object.entries(compressors).map(([codec, decompress]) => [
          codec,
          (input: Uint8Array, length: number) => copyToLent(decompress(input, length)),
        ]),
      ),
    file: {
      byteLength: file.byteLength,
      async slice(start, end = file.byteLength) {
        const length = Math.max(0, end - start)
        if (length < leastLent || end > size) return file.slice(start, end)
        const bytes = lend(length)
        await handle.read(new Uint8Array(bytes), { position: start })
        return bytes
      },
    },
    release() {
      for (const bytes of lent.splice(0)) bytes.resize(0)
    },
  }
}

/** Copies bytes, so that they stay valid after the read buffers are freed. */
export const detachBytes = (bytes: Uint8Array): Uint8Array => {
  const { buffer } = bytes
  return buffer instanceof ArrayBuffer && buffer.resizable ? bytes.slice() : bytes
}

/** The advice for a damaged file. */
export const getAgain = 'Download it again, or write it again'

/**
 * Reads the metadata at the end of a Parquet file.
 * @throws PipelineError if the file is empty, truncated or not Parquet.
 */
export async function readFooter(file: string, buffer: AsyncBuffer): Promise<FileMetaData> {
  const name = shownPath(file)
  if (buffer.byteLength === 0) throw new PipelineError('dataset', `${name} is empty`)
  const ends = [await buffer.slice(0, 4), await buffer.slice(Math.max(0, buffer.byteLength - 4))]
  const [start, end] = ends.map(bytes => Buffer.from(bytes).toString('latin1'))
  if (start === 'PARE') throw makeEncryptionError(name)
  if (start !== 'PAR1') throw new PipelineError('dataset', `${name} is not a Parquet file`)
  if (end !== 'PAR1')
    throw new PipelineError('dataset', `${name} is a Parquet file that was cut short (its end is missing). ${getAgain}`)
  const footer = await parquetMetadataAsync(buffer).catch((error: unknown) => {
    throw new PipelineError('dataset', `${name} is a damaged Parquet file (${messageOf(error)}). ${getAgain}`, {
      cause: error,
    })
  })
  if (footer.row_groups.some(({ columns }) => columns.some(({ crypto_metadata: key }) => key !== undefined)))
    throw makeEncryptionError(name)
  checkExtents(footer, { name, size: buffer.byteLength })
  return footer
}

const makeEncryptionError = (name: string): PipelineError =>
  new PipelineError('dataset', `${name} is an encrypted Parquet file: write it again without encryption`)

function checkExtents(footer: FileMetaData, file: { readonly name: string; readonly size: number }): void {
  for (const { columns } of footer.row_groups)
    for (const { meta_data: meta } of columns) {
      if (meta === undefined) continue
      const start = Number(meta.dictionary_page_offset ?? meta.data_page_offset)
      if (start + Number(meta.total_compressed_size) > file.size)
        throw new PipelineError(
          'dataset',
          `${file.name} is a damaged Parquet file: column ${meta.path_in_schema.join('.')} reaches beyond its end. ${getAgain}`,
        )
    }
}
