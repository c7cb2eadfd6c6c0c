import type { SqliteDatabase } from './connection/database.js'
import type { RowSum } from './rows.js'

/**
 * The checksum as a function of SQL, for tables whose rows are changed where they stand. A row without one was written by an older
 * version, and is believed.
 */
export function defineRowSums(db: SqliteDatabase, sum: RowSum): void {
  const of = (...fields: unknown[]): number =>
    sum(...fields.map(field => (Buffer.isBuffer(field) ? field.toString('hex') : String(field))))
  db.function('row_sum', { deterministic: true, varargs: true }, of)
}

export const progressSum = (docs: string, finished: string): string =>
  `row_sum('progress', run, task, ${docs}, ${finished})`

/** Whether a row of `input_progress`, by this name, is what was written. */
export const isProgressSound = (row: string): string =>
  `(${row}.sum IS NULL OR ${row}.sum = row_sum('progress', ${row}.run, ${row}.task, ${row}.docs, ${row}.finished))`

/** Whether a row of `run_file`, by this name, is what was written. */
export const isFileSound = (row: string): string =>
  `(${row}.sum IS NULL OR ${row}.sum = row_sum('file', ${row}.run, ${row}.path, ${row}.digest))`
