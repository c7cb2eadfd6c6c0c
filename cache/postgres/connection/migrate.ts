import { PipelineError } from '../../../base/errors/errors.js'
import type { Database } from './database.js'
import type { Query } from './query.js'
import { migrations, readerViews } from './migrations.js'

/** The oldest supported major version of the server. */
const oldestServer = 14

/** The version of a schema, and the store's own mark. */
export interface Format {
  readonly version: number
  /** The id of the store, to detect the media folder of another store. */
  readonly store: string
}

/** Reads the format of a schema. @returns undefined if the schema has no store */
export async function readFormat(query: Query, schema: string): Promise<Format | undefined> {
  const [presence] = await query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `"${schema}".format`,
  ])
  if (presence?.there !== true) return undefined
  const [format] = await query<Format>('SELECT version, store::text AS store FROM format')
  return format
}

/**
 * Creates or upgrades the tables of a schema. Several processes may do it at once.
 *
 * @param onCreated called with the mark of a new store, before others see it
 */
export function migrate(
  db: Pick<Database, 'write' | 'shown'>,
  schema: string,
  onCreated: (store: string) => Promise<void>,
): Promise<Format> {
  return db.write(async query => {
    // One process migrates and the others wait for it, and then find nothing left to do.
    await query('SELECT pg_advisory_xact_lock(hashtext($1))', [`pipeline ${schema}`])
    await refuseServer(query, db.shown)
    const before = await readFormat(query, schema)
    if (before === undefined) await createFormat(query, schema)
    refuseNewer(db.shown, before?.version ?? 0)
    for (const sql of migrations.slice(before?.version ?? 0)) await query(sql)
    if (before?.version !== migrations.length) await query('UPDATE format SET version = $1', [migrations.length])
    const format = await readFormat(query, schema)
    if (format === undefined) throw new Error('internal error: the format of the schema vanished')
    if (before === undefined) await onCreated(format.store)
    return format
  })
}

async function createFormat(query: Query, schema: string): Promise<void> {
  // A user without the right to create schemas may use one that somebody created.
  const [there] = await query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])
  if (there === undefined) await query(`CREATE SCHEMA "${schema}"`)
  await query('CREATE TABLE format (version integer NOT NULL, store uuid NOT NULL DEFAULT gen_random_uuid())')
  await query('INSERT INTO format (version) VALUES (0)')
}

async function refuseServer(query: Query, storeName: string): Promise<void> {
  const [server] = await query<{ version: string; encoding: string }>(
    "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding",
  )
  const major = Math.floor(Number(server?.version ?? 0) / 10_000)
  if (major < oldestServer)
    throw new PipelineError(
      'store',
      `the store ${storeName} is on PostgreSQL ${major}. PostgreSQL ${oldestServer} or newer is needed.`,
      { reason: 'store-unsupported' },
    )
  if (server?.encoding !== 'UTF8')
    throw new PipelineError(
      'store',
      `the database of the store ${storeName} has the encoding ${server?.encoding}. Create a database with the encoding UTF8, from the template template0.`,
      { reason: 'store-unsupported' },
    )
}

/** @throws PipelineError (store) if a newer version of the program made the schema */
export function refuseNewer(storeName: string, version: number): void {
  if (version > migrations.length)
    throw new PipelineError(
      'store',
      `the store ${storeName} was made by a newer version of pipeline (format ${version}, this version knows ${migrations.length}). Update pipeline on this machine.`,
      { reason: 'store-newer' },
    )
}

/**
 * Returns statements that let a connection read a schema of an older version of the program. Only a process that writes upgrades it.
 *
 * @throws PipelineError (store) if it cannot be read
 */
export function findReaderViews(storeName: string, schema: string, version: number): readonly string[] {
  const views = readerViews.slice(version).map(view => view?.(`"${schema}"`))
  if (views.every(view => view !== undefined)) return views
  throw new PipelineError(
    'store',
    `the store ${storeName} was made by an older version of pipeline. A command that writes to it, such as an evaluation, upgrades it.`,
  )
}
