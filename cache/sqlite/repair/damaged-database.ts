import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { shellWord } from '../../shell-word.js'

/** A database that SQLite can't read, or not all of. What its pages still tell is for a salvage to save. */
export class DamagedDatabaseError extends PipelineError {}

/** What to type where a database is damaged. */
export const saving = (dir: string): string => `pipeline cache verify --repair --store ${shellWord(dir)}`

/** @param error of SQLite, or what it says of its pages */
export const damagedDatabase = (dir: string, error: unknown): DamagedDatabaseError =>
  new DamagedDatabaseError(
    'store',
    `the database in ${dir} is damaged (${messageOf(error).split('\n')[0] ?? ''}). Save all that can still be read, with the runs that are sealed: ${saving(dir)}`,
    { cause: error },
  )

/**
 * A store whose runs are sealed has had a database: a new one would ask everything again.
 *
 * @throws DamagedDatabaseError where it is not there any more
 */
export function refuseLost(dir: string, file: string): void {
  if (existsSync(file) && statSync(file).size > 0) return
  const sealed = sealedRuns(dir)
  if (sealed.length === 0) return
  const what = existsSync(file) ? 'is empty' : 'is not there'
  throw new DamagedDatabaseError(
    'store',
    `${file} ${what}, though ${sealed.length === 1 ? 'a run is' : `${sealed.length} runs are`} sealed in ${join(dir, 'runs')}. Bring back what is: ${saving(dir)}   or move that folder away to start anew`,
  )
}

/** Folders of runs that were sealed, by name. */
export function sealedRuns(dir: string): readonly string[] {
  const folder = join(dir, 'runs')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .filter(name => existsSync(join(folder, name, 'manifest.json')))
}
