import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'

/** The error for a database that SQLite cannot read completely. A salvage saves the rows that its pages still hold. */
export class DamagedDatabaseError extends PipelineError {}

/** The command that repairs a damaged database. */
export const repairCommand = (dir: string): string => command('cache verify', [], { repair: true, store: dir })

/** @param error SQLite's error, or its findings about the pages */
export const damagedDatabase = (dir: string, error: unknown): DamagedDatabaseError =>
  new DamagedDatabaseError(
    'store',
    `the database in ${dir} is damaged (${messageOf(error).split('\n')[0] ?? ''}). Save all that can still be read, with the runs that are sealed: ${repairCommand(dir)}`,
    { cause: error, reason: 'store-damaged', data: { dir } },
  )

/**
 * Fails if sealed runs exist but the database is gone. A new database would send every request again.
 *
 * @throws DamagedDatabaseError if the database is missing
 */
export function refuseLost(dir: string, file: string): void {
  if (existsSync(file) && statSync(file).size > 0) return
  const sealed = sealedRuns(dir)
  if (sealed.length === 0) return
  const what = existsSync(file) ? 'is empty' : 'is not there'
  throw new DamagedDatabaseError(
    'store',
    `${file} ${what}, though ${sealed.length === 1 ? 'a run is' : `${sealed.length} runs are`} sealed in ${join(dir, 'runs')}. Restore them: ${repairCommand(dir)}   or move that folder away to start afresh`,
    { reason: 'store-damaged', data: { dir } },
  )
}

/** Lists the folders of sealed runs by name. */
export function sealedRuns(dir: string): readonly string[] {
  const folder = join(dir, 'runs')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .filter(name => existsSync(join(folder, name, 'manifest.json')))
}
