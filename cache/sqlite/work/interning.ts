import { digestBytes, digestOfBytes, type Sha256 } from '../../digest.js'
import type { Keyed } from '../../keys.js'
import type { NamedPreimage } from '../../store.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../../rows/sums.js'

/** Returns the number of the row with this key, which is inserted if missing. Call inside a write transaction. */
export function internText(
  context: Context,
  table: 'instance' | 'record',
  { key, preimage }: Keyed<Sha256<string>>,
): number {
  const bytes = digestBytes(key)
  const made = context.sql(`INSERT OR IGNORE INTO ${table} (key, preimage) VALUES (?, ?)`).run(bytes, preimage)
  return made.changes === 1 ? Number(made.lastInsertRowid) : readRowId(context, table, bytes)
}

/** Like {@link internText}, for the few preimages that many rows share. */
export function internPreimage(context: Context, { kind, key, preimage }: NamedPreimage): number {
  const bytes = digestBytes(key)
  const made = context
    .sql('INSERT OR IGNORE INTO preimage (key, kind, preimage) VALUES (?, ?, ?)')
    .run(bytes, kind, preimage)
  if (made.changes === 1) return Number(made.lastInsertRowid)
  // A repair blanks a damaged text. It is restored here.
  context.sql("UPDATE preimage SET preimage = ? WHERE key = ? AND preimage = ''").run(preimage, bytes)
  return readRowId(context, 'preimage', bytes)
}

/** Returns the number of a stored request. */
export const findRequest = (context: Context, key: Sha256<'response'>): number | undefined =>
  context.sql<{ id: number }>('SELECT id FROM request WHERE key = ?').get(digestBytes(key))?.id

/** Returns the number of a stored record. */
export const findRecord = (context: Context, key: Sha256<'judge-record'>): number | undefined =>
  context.sql<{ id: number }>('SELECT id FROM record WHERE key = ?').get(digestBytes(key))?.id

export const insertRequest = (
  context: Context,
  request: {
    readonly key: Sha256<'response'>
    readonly instance: number
    readonly config: number
    readonly code: number
    readonly sample: number
  },
): number =>
  Number(
    context
      .sql('INSERT INTO request (key, instance, config, code, sample) VALUES (?, ?, ?, ?, ?)')
      .run(digestBytes(request.key), request.instance, request.config, request.code, request.sample).lastInsertRowid,
  )

export function readRowId(
  context: Context,
  table: 'instance' | 'record' | 'preimage' | 'request' | 'score',
  key: Buffer,
): number {
  const row = context.sql<{ id: number }>(`SELECT id FROM ${table} WHERE key = ?`).get(key)
  if (row === undefined) throw new DamagedRowError(table, digestOfBytes(key))
  return row.id
}
