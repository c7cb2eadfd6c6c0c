/** Computes and checks the checksums of rows, for SQLite and PostgreSQL. */
import createXxhash from 'xxhash-wasm'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { sha256, type Sha256 } from '../digest.js'

/** Computes the xxh64 of a row's content, cut to the 53 bits that a JavaScript number holds exactly. */
export type RowSum = (...fields: readonly (string | number | null)[]) => number

/** Computes row checksums. */
export interface RowSums {
  readonly sum: RowSum
}

export async function createRowSum(): Promise<RowSum> {
  const xxhash = await createXxhash()
  const mask = (1n << 53n) - 1n
  return (...fields) => Number(xxhash.h64(fields.join('\u0000')) & mask)
}

/** The error for a row whose content differs from what was written. */
export class DamagedRowError extends PipelineError {
  readonly table: string
  readonly id: number | string

  /** @param id the row's number in the table, or its key */
  constructor(table: string, id: number | string) {
    super(
      'store',
      `damaged record: ${table} ${id}. See all with: ${command('cache verify')}   repair or remove them before the run is started again: ${command('cache verify', [], { repair: true })}`,
      { reason: 'record-damaged', data: { table, id } },
    )
    this.table = table
    this.id = id
  }
}

/** Serializes a record. The cast is safe because records hold only JSON: interfaces lack the index signature. */
export const toText = (value: object): string => canonicalJson(value as Json)

/** Returns the text of a row whose key is its digest. @throws DamagedRowError if they differ, or if the row is missing */
export function checkedText(table: string, id: number, key: Sha256<string>, preimage: string | null): string {
  if (preimage === null || (sha256(preimage) as string) !== key) throw new DamagedRowError(table, id)
  return preimage
}

/** Computes the checksum of a row of `run_file`. @param digest 64 hexadecimal digits */
export const sumOfFile = ({ sum }: RowSums, run: number, path: string, digest: string): number =>
  sum('file', String(run), path, digest)

/** Computes the checksum of a row of `input_progress`. */
export const sumOfProgress = ({ sum }: RowSums, run: number, task: number, docs: number, finished: number): number =>
  sum('progress', String(run), String(task), String(docs), String(finished))
