import type { SqliteDatabase } from './connection/database.js'
import type { RowSum } from '../rows/sums.js'

/** SQL that reads a digest as text, or null. Reading a Buffer costs five times as much. */
export const digestSql = (column: string): string => `iif(${column} IS NULL, NULL, 'sha256:' || lower(hex(${column})))`

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
