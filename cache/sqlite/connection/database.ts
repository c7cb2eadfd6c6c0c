import { constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import { command, option } from '../../../base/errors/option-words.js'
import { makeFolder } from '../../make-folder.js'
import { isLocked } from './lock-wait.js'
import { databaseName, applicationId, migrations } from './schema.js'
import { refuseLost } from '../repair/damaged-database.js'
import { storeError } from './store-error.js'

/** A connection to a SQLite database. */
export type SqliteDatabase = Database.Database

export { databaseName }

/**
 * The default memory for database pages. The indexes of a large run's digests do not fit into several times as much,
 * and the operating system caches the file anyway.
 */
const defaultCacheMb = 8

export const limitCache = (db: SqliteDatabase, megabytes = defaultCacheMb): void =>
  void db.pragma(`cache_size = -${megabytes * 1000}`)

/** An open database and how it was opened. */
export interface OpenedDatabase {
  readonly db: SqliteDatabase
  readonly readOnly: boolean
  /** Removes the temporary copy that a read-only store may need. */
  readonly dispose: () => void
}

/**
 * The time that opening, and each attempt of a transaction, blocks the event loop while it waits for a lock. Most
 * transactions of other processes take milliseconds. Longer waits do not block the event loop (lock-wait.ts).
 */
const briefMs = 500
/** The maximum wait of a read. Transactions of other processes do not block reads. */
const readingMs = 120_000

export const waitBriefly = (db: SqliteDatabase): void => void db.pragma(`busy_timeout = ${briefMs}`)

export const waitLong = (db: SqliteDatabase): void => void db.pragma(`busy_timeout = ${readingMs}`)

/**
 * Opens the database of the store in `dir` to write. Folder and database are created if missing, unless `isThere`.
 *
 * @param options.begin called once the folder exists, before the database is opened
 * @throws PipelineError (store) if the folder or database cannot be used, with the reason. SQLite's own error if it is
 *   locked.
 */
export function openToWrite(
  dir: string,
  { isThere = false, begin }: { readonly isThere?: boolean; readonly begin?: () => void } = {},
): OpenedDatabase {
  if (isThere && !isPresent(dir, dir)) throw noStore(dir)
  makeStoreFolder(dir, dir)
  const file = join(dir, databaseName)
  const hasFile = isPresent(dir, file)
  refuseForeignFile(file)
  refuseLost(dir, file)
  if (isThere && !hasFile) throw noStore(dir)
  return explainErrors(dir, () => {
    begin?.()
    const db = new Database(file, { timeout: briefMs })
    try {
      checkOwnership(db, file)
      db.pragma('journal_mode = WAL')
      // SQLite's default for WAL is NORMAL, which may lose the last commits at a power cut.
      db.pragma('synchronous = FULL')
      db.pragma('foreign_keys = ON')
      // Keys are digests, so a batch changes pages all over the file. A late checkpoint writes many batches at once.
      db.pragma('wal_autocheckpoint = 8000')
      migrate(db)
      makeStoreFolder(dir, join(dir, 'media'))
    } catch (error) {
      db.close()
      throw error
    }
    return { db, readOnly: false, dispose: () => undefined }
  })
}

/**
 * Opens the database of the store in `dir` to read, even on read-only media.
 *
 * @throws PipelineError (store) if there is no store, or if it cannot be read. SQLite's own error if it is locked.
 */
export function openToRead(dir: string): OpenedDatabase {
  const file = join(dir, databaseName)
  const isThere = isPresent(dir, file)
  refuseLost(dir, file)
  if (!isThere) throw noStore(dir)
  refuseForeignFile(file)
  return explainErrors(dir, () => {
    const { db, dispose } = connectToRead(file)
    try {
      checkOwnership(db, file)
      // The process that makes the database was killed early, or is still at work.
      if (version(db) === 0) throw noStore(dir)
      if (version(db) < migrations.length) {
        const copy = copyUpgraded(db)
        db.close()
        dispose()
        return { ...copy, readOnly: true }
      }
    } catch (error) {
      db.close()
      dispose()
      throw error
    }
    return { db, readOnly: true, dispose }
  })
}

/**
 * Tells whether a folder holds a store's database.
 *
 * @throws PipelineError (store) if this user may not read the folder, so that a store may exist
 */
export const holdsDatabase = (dir: string): boolean => isPresent(dir, join(dir, databaseName))

function isPresent(dir: string, path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false
    throw storeError(dir, error)
  }
}

const noStore = (dir: string): PipelineError =>
  new PipelineError(
    'store',
    `no store in ${dir}. Say where it is with ${option('store', 'DIR')}, or start a run: ${command('eval', [], { help: true })}`,
    { reason: 'store-missing', data: { dir } },
  )

function connectToRead(file: string): { db: SqliteDatabase; dispose: () => void } {
  let db: SqliteDatabase | undefined
  try {
    db = new Database(file, { readonly: true, timeout: briefMs })
    db.prepare('SELECT count(*) FROM sqlite_master').get()
    return { db, dispose: () => undefined }
  } catch (error) {
    db?.close()
    if (!/CANTOPEN|READONLY|IOERR/.test(systemCode(error) ?? '')) throw error
    return connectToUnwritable(file)
  }
}

/**
 * Opens a database in a read-only folder. WAL needs a log and a shared-memory file beside the database. If these cannot be made, a copy is opened,
 * including the log of a crashed writer. The SQLite library accepts no URIs, so the original cannot be opened as immutable.
 */
function connectToUnwritable(file: string): { db: SqliteDatabase; dispose: () => void } {
  const copy = mkdtempSync(join(tmpdir(), 'pipeline-read-'))
  const dispose = (): void => {
    rmSync(copy, { recursive: true, force: true })
  }
  try {
    for (const suffix of ['', '-wal'])
      if (existsSync(file + suffix))
        copyFileSync(file + suffix, join(copy, databaseName + suffix), constants.COPYFILE_FICLONE)
    return { db: new Database(join(copy, databaseName)), dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

/** Copies a database of an older format and upgrades the copy, because a command that only reads changes no store. */
function copyUpgraded(db: SqliteDatabase): { db: SqliteDatabase; dispose: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'pipeline-read-'))
  const dispose = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const file = join(folder, databaseName)
    db.prepare('VACUUM INTO ?').run(file)
    const copy = new Database(file)
    migrate(copy)
    return { db: copy, dispose }
  } catch (error) {
    dispose()
    throw error
  }
}

/** @param folder the store's folder, or a folder inside it */
function makeStoreFolder(dir: string, folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new PipelineError(
        'store',
        `${folder} is a file, not a folder: the store can't be there. Choose another with ${option('store', 'DIR')}.`,
        { reason: 'store-not-a-folder', data: { path: folder } },
      )
    throw storeError(dir, error)
  }
}

function refuseForeignFile(file: string): void {
  if (existsSync(file) && !statSync(file).isFile())
    throw new PipelineError(
      'store',
      `${file} is not a file: that is no store of ours. Choose another folder with ${option('store', 'DIR')}.`,
      { reason: 'store-foreign', data: { file } },
    )
}

function checkOwnership(db: SqliteDatabase, file: string): void {
  // Both values are read in one transaction, because another process may be making the store.
  const { id, tables } = db.transaction(() => ({
    id: db.pragma('application_id', { simple: true }),
    tables: db.prepare<[], { n: number }>('SELECT count(*) AS n FROM sqlite_master').get()?.n ?? 0,
  }))()
  if (id !== applicationId && (tables > 0 || id !== 0)) {
    throw new PipelineError(
      'store',
      `${file} is a database of another program. Nothing was changed; choose another folder with ${option('store', 'DIR')}.`,
      { reason: 'store-foreign', data: { file } },
    )
  }
  refuseNewer(db, file)
}

/** @throws PipelineError (store) if a newer version of the program upgraded the database, perhaps while this process was at work */
export function refuseNewer(db: SqliteDatabase, file: string): void {
  if (version(db) > migrations.length) {
    throw new PipelineError(
      'store',
      `${file} has format ${version(db)}, newer than this program's ${migrations.length}. Nothing was changed; use the newer version of pipeline that wrote it, or another folder with ${option('store', 'DIR')}.`,
      { reason: 'store-newer', data: { file, version: version(db), newest: migrations.length } },
    )
  }
}

const version = (db: SqliteDatabase): number => Number(db.pragma('user_version', { simple: true }))

function migrate(db: SqliteDatabase): void {
  if (version(db) === migrations.length) return
  db.transaction(() => {
    for (const [index, sql] of migrations.entries()) {
      // The version is read again inside the transaction, because another process may have upgraded meanwhile.
      if (version(db) > index) continue
      db.exec(sql)
      db.pragma(`user_version = ${index + 1}`)
    }
    db.pragma(`application_id = ${applicationId}`)
  }).immediate()
}

function explainErrors<T>(dir: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    // A lock is not an error of the store, so the caller may retry.
    throw isLocked(error) ? error : storeError(dir, error)
  }
}
