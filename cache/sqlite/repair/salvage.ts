import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { syncFolder } from '../../media/atomic-file.js'
import { openToWrite, type SqliteDatabase } from '../connection/database.js'
import { storeError } from '../connection/store-error.js'
import { databaseName } from '../connection/schema.js'
import { rawRows, type RawValue } from './raw-pages.js'
import { preimageKinds } from '../../rows/key-checks.js'

/** The result of saving rows from an unreadable database. */
export interface Salvage {
  /** The number of rows by table. */
  readonly rows: Readonly<Record<string, number>>
  /** The new path of the damaged file, if there was one. */
  readonly kept?: string
}

/**
 * Makes a new database from all rows that can still be read, and replaces the damaged one. The damaged file stays
 * beside it. References to lost rows are repaired afterwards.
 *
 * @param options.isSealed whether sealed runs can fill an empty database
 * @throws PipelineError (store) if the file holds nothing of a store
 */
export async function salvage(dir: string, options: { readonly isSealed: boolean }): Promise<Salvage> {
  const file = join(dir, databaseName)
  const folder = join(dir, '.salvage')
  rmSync(folder, { recursive: true, force: true })
  const { db } = openToWrite(folder)
  const rows: Record<string, number> = {}
  try {
    db.pragma('foreign_keys = OFF')
    db.transaction(() => {
      if (existsSync(file)) copyRows(db, file, rows)
      // The new database has new owner numbers, so an old number would name another process.
      for (const table of ['batch', 'job']) db.prepare(`UPDATE ${table} SET owner = NULL`).run()
      db.prepare("UPDATE counter SET value = 1 WHERE name = 'blank-texts'").run()
    })()
  } finally {
    db.close()
  }
  if (Object.keys(rows).length === 0 && !options.isSealed) {
    rmSync(folder, { recursive: true, force: true })
    throw new PipelineError(
      'store',
      `nothing of a store is left in ${file}. Nothing was changed; move it away or choose another folder with ${option('store', 'DIR')}.`,
      { reason: 'store-foreign', data: { file } },
    )
  }
  refuseUsed(dir, file)
  const damagedCopy = existsSync(file) ? putAside(file) : undefined
  renameSync(join(folder, databaseName), file)
  await syncFolder(dir)
  rmSync(folder, { recursive: true, force: true })
  return { rows, ...(damagedCopy === undefined ? {} : { kept: damagedCopy }) }
}

function copyRows(db: SqliteDatabase, file: string, rows: Record<string, number>): void {
  const inserts = new Map(
    tables.map(({ name, columns }) => [
      name,
      db.prepare(`INSERT OR IGNORE INTO ${name} VALUES (${columns.map(() => '?').join(', ')})`),
    ]),
  )
  for (const { rowid, values } of rawRows(file)) {
    const table = tables.find(shape => hasShape(shape, values))
    const inserted = table && inserts.get(table.name)?.run(rowid, ...padRow(table.columns, values).slice(1))
    if (table !== undefined && inserted?.changes === 1) rows[table.name] = (rows[table.name] ?? 0) + 1
  }
}

/** @throws PipelineError (store) if another program has the database open, since it would write to the old file */
function refuseUsed(dir: string, file: string): void {
  try {
    const db = new Database(file, { timeout: 1_000 })
    try {
      db.pragma('locking_mode = EXCLUSIVE')
      db.exec('BEGIN EXCLUSIVE; COMMIT')
    } finally {
      db.close()
    }
  } catch (error) {
    // Another error means that no program can open the database, so none uses it.
    if (/^SQLITE_BUSY|^SQLITE_LOCKED/.test(systemCode(error) ?? '')) throw storeError(dir, error)
  }
}

/** Moves the log away first, because SQLite would apply it to any database of that name. */
function putAside(file: string): string {
  let copy = `${file}.damaged`
  for (let number = 2; existsSync(copy); number++) copy = `${file}.damaged-${number}`
  try {
    linkSync(file, copy)
  } catch {
    // The file system has no links.
    copyFileSync(file, copy)
  }
  if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${copy}-wal`)
  rmSync(`${file}-shm`, { force: true })
  return copy
}

type Column = (value: RawValue) => boolean

const none: Column = value => value === null
const number: Column = value => typeof value === 'number'
const text: Column = value => typeof value === 'string'
const key: Column = value => Buffer.isBuffer(value) && value.length === 32
const bytes: Column = value => Buffer.isBuffer(value)
const orNone =
  (column: Column): Column =>
  value =>
    value === null || column(value)
const kind: Column = value => preimageKinds.some(preimageKind => preimageKind === value)
/** Accepts canonical JSON that begins with one of these fields. It distinguishes tables with the same columns. */
const makeObjectTest =
  (...fields: readonly string[]): Column =>
  value =>
    typeof value === 'string' && fields.some(field => value.startsWith(`{"${field}":`))

interface TableShape {
  readonly name: string
  readonly columns: readonly Column[]
  /** The number of columns that a later version added. Rows that an older one wrote end before them. */
  readonly added?: number
}

/** The shape of each table's rows. Other tables are made again, or mean nothing on their own. */
const tables: readonly TableShape[] = [
  { name: 'preimage', columns: [none, key, kind, text] },
  { name: 'instance', columns: [none, key, makeObjectTest('continuation', 'conversation', 'messages')] },
  { name: 'record', columns: [none, key, makeObjectTest('choices', 'doc')] },
  { name: 'request', columns: [none, key, number, number, number, number] },
  { name: 'response', columns: [none, number, key, text, text, number] },
  { name: 'run', columns: [none, key, text, text, text, number, number, number] },
  { name: 'item', columns: [none, number, number, number, number, number, text, orNone(number), number, number] },
  {
    name: 'failure',
    columns: [none, number, number, orNone(number), text, text, number, number, number, number, number],
  },
  { name: 'judgement', columns: [none, number, number, text, number, orNone(number), orNone(text), number] },
  { name: 'score', columns: [none, key, bytes, number, number, number, text, number, text] },
  { name: 'memory', columns: [none, text, text, number] },
  { name: 'batch', columns: [none, text, text, number, text, number, orNone(number), number] },
  { name: 'batch_request', columns: [none, number] },
  {
    name: 'job',
    columns: [
      ...[none, text, orNone(text), text, number, text, text, orNone(text), orNone(text), number],
      ...[text, orNone(number), orNone(number), number, number, orNone(text), orNone(text), orNone(text), number],
      ...[number, orNone(number), number, number, orNone(text)],
    ],
    added: 1,
  },
  { name: 'label', columns: [none, key, key, orNone(text), text, text, number, text, text, text, number] },
  { name: 'run_tag', columns: [none, number, text, number] },
  { name: 'job_event', columns: [none, number, number, number, text, text, number] },
]

const padRow = (columns: readonly Column[], values: readonly RawValue[]): readonly RawValue[] =>
  Array.from(columns, (_, index) => values[index] ?? null)

const hasShape = ({ columns, added = 0 }: TableShape, values: readonly RawValue[]): boolean =>
  (columns.length === values.length || columns.length - added === values.length) &&
  columns.every((column, index) => column(values[index] ?? null))
