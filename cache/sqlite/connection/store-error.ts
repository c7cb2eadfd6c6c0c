import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, PipelineError, systemCode, type ErrorFacts } from '../../../base/errors/errors.js'
import { command, option } from '../../../base/errors/option-words.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { DamagedDatabaseError, damagedDatabase, repairCommand } from '../repair/damaged-database.js'
import { isLocked, LockedError } from './lock-wait.js'
import { UnsyncedError } from './log-sync.js'
import { databaseName } from './schema.js'

/** Explains a failure of the database or the disk to the user. Any other error is returned as it is. */
export function storeError(dir: string, error: unknown): Error {
  if (error instanceof PipelineError) return error
  const code = systemCode(error) ?? ''
  const say = (text: string, facts: ErrorFacts = {}): PipelineError =>
    new PipelineError('store', text, { ...facts, cause: error })
  if (error instanceof UnsyncedError)
    return say(
      `the disk of the store ${dir} did not confirm what was written (${error.message}), so this process writes nothing more to it. All that was answered before is kept; free space on the disk or repair it, and run the same command again. A service must be restarted.`,
      { reason: 'store-unsynced' },
    )
  // The index of the log, a file beside the database, grows when the database is opened.
  if (/^SQLITE_FULL|^SQLITE_IOERR_SHMSIZE|^ENOSPC|^EDQUOT|^EFBIG/.test(code))
    return say(
      `no space left on the disk of the store ${dir}. All that was answered so far is kept; free some space and run the same command again.`,
      { reason: 'store-full' },
    )
  if (isLocked(error)) {
    const which = error instanceof LockedError && error.program !== undefined ? ` (${error.program})` : ''
    return say(
      `the store in ${dir} is locked by another program. Nothing was lost; close that program${which} and run the same command again.`,
      { reason: 'store-locked' },
    )
  }
  if (/^SQLITE_CANTOPEN|^EACCES|^EPERM/.test(code) && isKeptFromReading(dir))
    return say(
      `cannot read ${join(dir, databaseName)}: permission denied. Work as the owner of the store (ls -ld ${shellWord(dir)}), or have the owner allow it: chmod -R a+rX ${shellWord(dir)}   (a+rwX to let others write, too)`,
    )
  const isReadOnly = /^SQLITE_READONLY|^EROFS|^EACCES|^EPERM/.test(code)
  if (isReadOnly || (code === 'SQLITE_CANTOPEN' && isKeptFromWriting(dir)))
    return say(
      `the store in ${dir} can't be written (${messageOf(error)}). It can still be reported from: ${command('report', ['last'], { store: dir })}`,
      { reason: 'store-read-only', data: { dir } },
    )
  if (/^SQLITE_NOTADB/.test(code))
    return new DamagedDatabaseError(
      'store',
      `${join(dir, databaseName)} is not a database. Nothing was changed; move it away or choose another folder with ${option('store', 'DIR')}. If it was a store, save what can still be read: ${repairCommand(dir)}`,
      { cause: error, reason: 'store-damaged', data: { dir } },
    )
  if (/^SQLITE_CORRUPT/.test(code)) return damagedDatabase(dir, error)
  if (/^SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE)/.test(code))
    return say(
      `the disk of the store ${dir} does not take what is written (${code}: a failing disk, or a limit of file sizes). All that was answered so far is kept; fix that and run the same command again.`,
      { reason: 'store-failing' },
    )
  if (/^SQLITE_CANTOPEN|^SQLITE_IOERR|^(ENOTDIR|EIO|ENOENT|ELOOP|ENAMETOOLONG|EINVAL)$/.test(code))
    return say(`the store in ${dir} can't be used: ${messageOf(error)} (${code})`, { reason: 'store-failing' })
  if (code === 'ERR_DLOPEN_FAILED' || messageOf(error).startsWith('Could not locate the bindings file'))
    return say(
      `SQLite is not built for this Node (${process.version}), as after an installation without scripts or with another Node. Build it where pipeline is installed: npm rebuild better-sqlite3`,
    )
  return error instanceof Error ? error : new Error(messageOf(error))
}

/** Tells whether this user may not read the database, or not list its folder. */
function isKeptFromReading(dir: string): boolean {
  try {
    // access() checks the real user, who may differ from the effective user.
    closeSync(openSync(join(dir, databaseName), 'r'))
    return false
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(systemCode(error) ?? '')
  }
}

/** Tells whether a store exists in a folder that cannot be written. */
function isKeptFromWriting(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return false
  } catch (error) {
    return ['EROFS', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '') && existsSync(join(dir, databaseName))
  }
}
