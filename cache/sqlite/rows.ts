import createXxhash from 'xxhash-wasm'
import { PipelineError } from '../../base/errors.js'
import { canonicalJson, type Json } from '../../base/canonical-json.js'

/** xxh64 over a row's content, cut to the 53 bits that a JavaScript number holds exactly. */
export type RowSum = (...fields: readonly (string | number | null)[]) => number

export async function createRowSum(): Promise<RowSum> {
  const xxhash = await createXxhash()
  const mask = (1n << 53n) - 1n
  return (...fields) => Number(xxhash.h64(fields.join('\u0000')) & mask)
}

/** The SQL that gives a digest as text, or null: as a Buffer, each costs five times as much. */
export const digestSql = (column: string): string => `iif(${column} IS NULL, NULL, 'sha256:' || lower(hex(${column})))`

/** A row whose content is not what was written. */
export class DamagedRowError extends PipelineError {
  readonly table: string
  readonly id: number | string

  /** @param id its number in the table, or its key */
  constructor(table: string, id: number | string) {
    super(
      'store',
      `damaged record: ${table} ${id}. See all with: pipeline cache verify   mend or drop them, before the run's line is started again: pipeline cache verify --repair`,
    )
    this.table = table
    this.id = id
  }
}

/** The text that is stored for a record. Interfaces have no index signature; records.ts says that they hold JSON alone. */
export const toText = (value: object): string => canonicalJson(value as Json)
