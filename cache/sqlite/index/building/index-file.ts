import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { systemCode } from '../../../../base/errors/errors.js'
import type { SqliteDatabase } from '../../connection/database.js'

/** The file of the prepared index, which may be deleted at any time. It is made again from the store. */
const indexName = 'view-index.sqlite'

/** The format of the file. Raise it when tables or their meaning change. A file of another format is rebuilt. */
const format = 0x76690003

const schema = `
  CREATE TABLE build (
    id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL, stamp TEXT NOT NULL, dictionary TEXT NOT NULL,
    samples INTEGER NOT NULL, finished INTEGER NOT NULL, ms REAL NOT NULL);
  CREATE INDEX build_target ON build (target);
  -- bytes holds the columns of some samples. sum is an xxh64 of them.
  CREATE TABLE piece (
    build INTEGER NOT NULL REFERENCES build ON DELETE CASCADE, number INTEGER NOT NULL, samples INTEGER NOT NULL,
    fields INTEGER NOT NULL, bytes BLOB NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (build, number));
  -- The texts of a run are in a table text_ID. task and doc say how far the first pass came, response and failure which of them it knows.
  CREATE TABLE text (
    id INTEGER PRIMARY KEY AUTOINCREMENT, target TEXT NOT NULL UNIQUE, task INTEGER NOT NULL, doc INTEGER NOT NULL,
    samples INTEGER NOT NULL, finished INTEGER NOT NULL, response INTEGER NOT NULL, failure INTEGER NOT NULL);
`

/**
 * Finds where the index of a store can be: in the store's folder, or in the system's temporary folder if that cannot be written.
 *
 * @param name tells the store from others
 */
export function indexPath(dir: string, readOnly: boolean, name = realpathSync(dir)): string {
  const file = join(dir, indexName)
  if (!readOnly && canWrite(file)) return file
  return join(temporaryFolder(name), indexName)
}

function canWrite(file: string): boolean {
  try {
    const db = new Database(file)
    try {
      db.exec('BEGIN IMMEDIATE; ROLLBACK')
    } finally {
      db.close()
    }
    return true
  } catch (error) {
    // A damaged file can be replaced, and one that another viewer writes to is in use.
    return !/CANTOPEN|READONLY|PERM|IOERR|FULL/.test(systemCode(error) ?? '')
  }
}

/** Returns the temporary folder of the index. The folder must belong to this user alone, so that other users cannot plant an index. */
function temporaryFolder(store: string): string {
  const user = process.getuid?.() ?? 0
  const name = createHash('sha256').update(store).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `pipeline-view-${user}-${name}`)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  const stats = lstatSync(folder)
  if (!stats.isDirectory() || stats.uid !== user) return mkdtempSync(join(tmpdir(), 'pipeline-view-'))
  chmodSync(folder, 0o700)
  return folder
}

/** Opens the index, which is made if it is missing, damaged or of another format. */
export function openIndexFile(file: string): SqliteDatabase {
  try {
    return openIndexDatabase(file)
  } catch (error) {
    if (!isDamage(error)) throw error
    discardIndex(file)
    return openIndexDatabase(file)
  }
}

class OtherFormatError extends Error {}

function openIndexDatabase(file: string): SqliteDatabase {
  const db = new Database(file, { timeout: 10_000 })
  try {
    db.pragma('journal_mode = WAL')
    // A power cut may cost the last pieces, which are made again.
    db.pragma('synchronous = NORMAL')
    db.pragma('foreign_keys = ON')
    db.pragma('cache_size = -16000')
    db.transaction(() => {
      const version = Number(db.pragma('user_version', { simple: true }))
      if (version === format) return
      const { tables } = db.prepare<[], { tables: number }>('SELECT count(*) AS tables FROM sqlite_master').get() ?? {
        tables: 0,
      }
      if (tables > 0) throw new OtherFormatError()
      db.exec(schema)
      db.pragma(`user_version = ${format}`)
    }).immediate()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Tells whether an error means that the index must be rebuilt. */
export const isDamage = (error: unknown): boolean =>
  error instanceof OtherFormatError ||
  error instanceof DamagedPieceError ||
  /^SQLITE_(CORRUPT|NOTADB)/.test(systemCode(error) ?? '') ||
  // Another viewer may have removed a table with its run.
  (error instanceof Error && error.message.startsWith('no such table'))

/** A piece of the index differs from what was written. */
export class DamagedPieceError extends Error {
  constructor() {
    super('a piece of the index is damaged')
  }
}

export function discardIndex(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
