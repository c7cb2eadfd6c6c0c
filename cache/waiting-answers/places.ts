import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemCode } from '../../base/errors/errors.js'
import { makeFolder } from '../make-folder.js'

/** A folder for the answers that wait for one store. */
export interface WaitingPlace {
  readonly folder: string
  /** True for a folder inside the system's folder of temporary files, where other users could plant files. */
  readonly isTemporary: boolean
}

/**
 * Returns the folders for the answers that wait for a store, in order of preference. The second one is on another disk as a rule, for the case that
 * the first one's is full.
 *
 * @param folder the folder within the store's work folder
 * @param mark what distinguishes the store from others of this machine
 */
export const findPlaces = (folder: string, mark: string): readonly WaitingPlace[] => [
  { folder, isTemporary: false },
  { folder: join(tmpdir(), temporaryName(mark)), isTemporary: true },
]

const temporaryName = (mark: string): string =>
  `pipeline-waiting-${process.getuid?.() ?? 0}-${createHash('sha256').update(mark).digest('hex').slice(0, 16)}`

/** Makes a folder if it is missing. @throws the system's error, or an error if another user made a temporary folder of this name */
export function makePlace({ folder, isTemporary }: WaitingPlace): void {
  if (!isTemporary) {
    makeFolder(folder)
    return
  }
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  if (!isOwn(folder)) throw new Error(`${folder} belongs to another user`)
}

/** Lists the files with answers. Those of a temporary folder count only if it belongs to this user alone. */
export function listFiles({ folder, isTemporary }: WaitingPlace): readonly string[] {
  try {
    const names = readdirSync(folder).filter(name => name.endsWith('.jsonl'))
    return isTemporary && !isOwn(folder) ? [] : names.map(name => join(folder, name))
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|EACCES|EPERM)$/.test(systemCode(error) ?? '')) return []
    throw error
  }
}

function isOwn(folder: string): boolean {
  const stats = lstatSync(folder)
  return stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid) && (stats.mode & 0o022) === 0
}
