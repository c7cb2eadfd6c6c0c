import { gzipSync } from 'node:zlib'
import { ParquetWriter, ByteWriter } from 'hyparquet-writer'
import { type FileDigest, streamingSha256 } from '../digest.js'
import { writeAtomically } from '../media/atomic-file.js'
import { makeParquetSchema, type Column, type Columns, type Flat } from './columns.js'
import { RowGroup } from './row-group.js'

/** The size and the digest of a written file. */
export interface WrittenFile {
  readonly digest: FileDigest
  readonly bytes: number
  readonly rows: number
}

/**
 * Writes rows to a Parquet file. The file appears under its name, durable, only when the promise resolves. The same
 * rows give the same bytes, whatever their batches.
 *
 * @returns undefined if there are no rows. No file is written then, because arrow-rs cannot read the file without row
 *   groups that hyparquet-writer makes.
 */
export async function writeParquet<Row extends Flat<Row>>(
  file: string,
  columns: Columns<Row>,
  batches: AsyncIterable<readonly Row[]>,
): Promise<WrittenFile | undefined> {
  const filled = await withoutEmptyStart(batches)
  if (filled === undefined) return undefined
  let writtenFile: WrittenFile | undefined
  await writeAtomically(file, async write => {
    const sink = new HashingSink(write)
    const rows = await writeGroups(sink, columns, filled)
    writtenFile = { digest: sink.digest(), bytes: sink.offset, rows }
  })
  return writtenFile
}

/** Skips empty batches at the start. @returns undefined if there are no rows */
async function withoutEmptyStart<Row>(
  batches: AsyncIterable<readonly Row[]>,
): Promise<AsyncIterable<readonly Row[]> | undefined> {
  const iterator = batches[Symbol.asyncIterator]()
  let start = await iterator.next()
  while (start.done !== true && start.value.length === 0) start = await iterator.next()
  if (start.done === true) return undefined
  const first = start.value
  return (async function* () {
    yield first
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}

async function writeGroups<Row extends Flat<Row>>(
  sink: HashingSink,
  columns: Columns<Row>,
  batches: AsyncIterable<readonly Row[]>,
): Promise<number> {
  const schema = makeParquetSchema(Object.entries<Column>(columns))
  // Column statistics are off: nothing filters by them, and computing them doubles the time.
  const writer = new ParquetWriter({
    writer: sink,
    schema,
    createdBy: 'pipeline',
    statistics: false,
    codec: 'GZIP',
    compressors: { GZIP: bytes => gzipSync(bytes, { level: 1 }) },
  })
  const group = new RowGroup<Row>(columns)
  let rows = 0
  for await (const batch of batches) {
    rows += batch.length
    for (const row of batch) {
      group.add(row)
      if (group.isFull) await group.moveTo(writer)
    }
  }
  await group.moveTo(writer)
  await writer.finish()
  await sink.flush()
  return rows
}

/** Passes the Parquet writer's bytes on after each row group, and computes their digest. `offset` counts the bytes. */
export class HashingSink extends ByteWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>
  readonly #hash = streamingSha256<'file'>()

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    super(1 << 16)
    this.#write = write
  }

  /** The Parquet writer calls this after each row group and waits for it. It does not call it after the footer. */
  async flush(): Promise<void> {
    const bytes = this.getBytes()
    this.#hash.update(bytes)
    await this.#write(bytes)
    this.index = 0
  }

  digest(): FileDigest {
    return this.#hash.digest()
  }
}
