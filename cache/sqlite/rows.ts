import createXxhash from 'xxhash-wasm'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import type { SqliteDatabase } from './connection/database.js'

/** Computes the xxh64 of a row's content, cut to the 53 bits that a JavaScript number holds exactly. */
export type RowSum = (...fields: readonly (string | number | null)[]) => number

export async function createRowSum(): Promise<RowSum> {
  const xxhash = await createXxhash()
  const mask = (1n << 53n) - 1n
  return (...fields) => Number(xxhash.h64(fields.join('\u0000')) & mask)
}

/** SQL that reads a digest as text, or null. Reading a Buffer costs five times as much. */
export const digestSql = (column: string): string => `iif(${column} IS NULL, NULL, 'sha256:' || lower(hex(${column})))`

/** The error for a row whose content differs from what was written. */
export class DamagedRowError extends PipelineError {
  readonly table: string
  readonly id: number | string

  /** @param id the row's number in the table, or its key */
  constructor(table: string, id: number | string) {
    super(
      'store',
      `damaged record: ${table} ${id}. See all with: ${command('cache verify')}   mend or drop them, before the run's line is started again: ${command('cache verify', [], { repair: true })}`,
      { reason: 'record-damaged', data: { table, id } },
    )
    this.table = table
    this.id = id
  }
}

/** Serializes a record. The cast is safe because records hold only JSON: interfaces lack the index signature. */
export const toText = (value: object): string => canonicalJson(value as Json)

/**
 * Makes the checksum available in SQL, for tables whose rows are updated in place. A row without a checksum was written
 * by an older version and is accepted.
 */
export function defineRowSums(db: SqliteDatabase, sum: RowSum): void {
  const of = (...fields: unknown[]): number =>
    sum(...fields.map(field => (Buffer.isBuffer(field) ? field.toString('hex') : String(field))))
  db.function('row_sum', { deterministic: true, varargs: true }, of)
}

export const progressSum = (docs: string, finished: string): string =>
  `row_sum('progress', run, task, ${docs}, ${finished})`

/** SQL that tells whether a row of `input_progress`, under this name, matches its checksum. */
export const isProgressSound = (row: string): string =>
  `(${row}.sum IS NULL OR ${row}.sum = row_sum('progress', ${row}.run, ${row}.task, ${row}.docs, ${row}.finished))`

/** SQL that tells whether a row of `run_file`, under this name, matches its checksum. */
export const isFileSound = (row: string): string =>
  `(${row}.sum IS NULL OR ${row}.sum = row_sum('file', ${row}.run, ${row}.path, ${row}.digest))`
