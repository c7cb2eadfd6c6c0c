/** Writes a table as Parquet files of limited size, with one row group at a time in memory. */
import { createHash } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ParquetWriter } from 'hyparquet-writer'
import { writeAtomically } from '../../../../cache/media/atomic-file.js'
import { HashingSink } from '../../../../cache/parquet/write.js'
import { featureMetadata, makeSchema, type TableColumns } from './columns.js'
import type { TableCell, TableRow } from './table.js'

/** The limits of a row group and of a file. The bytes are those before compression. */
export interface ShardLimits {
  readonly groupRows: number
  readonly groupBytes: number
  readonly fileBytes: number
}

const defaultLimits: ShardLimits = { groupRows: 1_000, groupBytes: 32 * 2 ** 20, fileBytes: 500 * 2 ** 20 }

/**
 * Writes `train-00000-of-0000N.parquet` and so on, as the Hub names them.
 *
 * @returns the files
 */
export async function writeShards(
  folder: string,
  columns: TableColumns,
  rows: AsyncIterable<TableRow>,
  limits: ShardLimits = defaultLimits,
): Promise<readonly string[]> {
  const groups = rowGroups(rows, limits)
  const partial: string[] = []
  let group = await groups.next()
  while (group.done !== true) {
    const file = join(folder, `.shard-${partial.length}.partial`)
    await writeAtomically(file, async write => {
      const sink = new HashingSink(write)
      const writer = new ParquetWriter({
        writer: sink,
        schema: makeSchema(columns),
        createdBy: 'pipeline',
        statistics: false,
        codec: 'GZIP',
        compressors: { GZIP: bytes => gzipSync(bytes, { level: 1 }) },
        kvMetadata: [{ key: 'huggingface', value: featureMetadata(columns) }],
      })
      let writtenBytes = 0
      while (group.done !== true && (writtenBytes === 0 || writtenBytes + group.value.bytes <= limits.fileBytes)) {
        const { value } = group
        await writer.write({
          rowGroupSize: value.rows.length,
          columnData: columns.map(([name, type]) => ({
            name,
            data: value.rows.map(row => row[name] ?? null),
            offsetIndex: false,
            encoding: 'PLAIN' as const,
            // Pictures and audio are compressed already.
            ...(type === 'image' || type === 'audio' ? { codec: 'UNCOMPRESSED' as const } : {}),
          })),
        })
        writtenBytes += value.bytes
        group = await groups.next()
      }
      await writer.finish()
      await sink.flush()
    })
    partial.push(file)
  }
  const files: string[] = []
  for (const [at, file] of partial.entries()) {
    const name = join(folder, `train-${digits(at)}-of-${digits(partial.length)}.parquet`)
    await rename(file, name)
    files.push(name)
  }
  return files
}

const digits = (value: number): string => String(value).padStart(5, '0')

interface RowGroup {
  readonly rows: readonly TableRow[]
  readonly bytes: number
}

async function* rowGroups(rows: AsyncIterable<TableRow>, limits: ShardLimits): AsyncGenerator<RowGroup, undefined> {
  let group: TableRow[] = []
  let bytes = 0
  for await (const row of rows) {
    group.push(row)
    bytes += Object.values(row).reduce<number>((sum, cell) => sum + estimateCellSize(cell), 0)
    if (group.length < limits.groupRows && bytes < limits.groupBytes) continue
    yield { rows: group, bytes }
    group = []
    bytes = 0
  }
  if (group.length > 0) yield { rows: group, bytes }
  return undefined
}

function estimateCellSize(cell: TableCell): number {
  if (typeof cell === 'string') return cell.length
  if (!Array.isArray(cell)) return 8
  return (cell as Extract<TableCell, readonly unknown[]>).reduce<number>(
    (sum, element) =>
      sum +
      (typeof element === 'object' && element !== null
        ? element.bytes.length
        : typeof element === 'string'
          ? element.length
          : 8),
    0,
  )
}

/** A name of a configuration and folder that `datasets` accepts. Different tasks get different names. */
export function configName(task: string): string {
  const name = task.replace(/[^\w.-]+/g, '_')
  return name === task ? name : `${name}_${createHash('sha256').update(task).digest('hex').slice(0, 6)}`
}
