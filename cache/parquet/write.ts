import { ParquetWriter } from 'hyparquet-writer'
import type { FileDigest } from '../digest.js'
import { writeAtomically } from '../media/atomic-file.js'
import { schemaOf, type Column, type Columns, type Flat } from './columns.js'
import { HashingSink } from './hashing-sink.js'
import { RowGroup } from './row-group.js'

export interface WrittenFile {
  readonly digest: FileDigest
  readonly bytes: number
  readonly rows: number
}

/**
 * Writes rows to a Parquet file: durable and under its name only when the promise resolves, nothing left where it rejects.
 * The same rows give the same bytes, however they are cut into batches.
 */
export async function writeParquet<Row extends Flat<Row>>(
  file: string,
  columns: Columns<Row>,
  batches: AsyncIterable<readonly Row[]>,
): Promise<WrittenFile> {
  let written: WrittenFile | undefined
  await writeAtomically(file, async write => {
    const sink = new HashingSink(write)
    const rows = await writeGroups(sink, columns, batches)
    written = { digest: sink.digest(), bytes: sink.offset, rows }
  })
  if (written === undefined) throw new Error('internal error: nothing written')
  return written
}

async function writeGroups<Row extends Flat<Row>>(
  sink: HashingSink,
  columns: Columns<Row>,
  batches: AsyncIterable<readonly Row[]>,
): Promise<number> {
  const schema = schemaOf(Object.entries<Column>(columns))
  // Nobody filters by minimum and maximum here, and working them out costs as much as the rest.
  const writer = new ParquetWriter({ writer: sink, schema, createdBy: 'pipeline', statistics: false })
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
