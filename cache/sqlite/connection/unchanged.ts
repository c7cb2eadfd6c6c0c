import type { Context } from './context.js'
import type { SqliteDatabase } from './database.js'

interface StateValues {
  /** The state of the database when the values were read. */
  state: string
  readonly values: Map<string, unknown>
}

const keptByDatabase = new WeakMap<SqliteDatabase, StateValues>()

/**
 * Caches the result of `read` until this or another process writes to the database. Counting the items of a long run
 * takes a while, and several callers need the same counts one after the other.
 *
 * @param name identifies what is read, including its arguments
 */
export function whileUnchanged<T>(context: Context, name: string, read: () => T): T {
  const state = readDatabaseState(context)
  let cache = keptByDatabase.get(context.db)
  if (cache === undefined) keptByDatabase.set(context.db, (cache = { state, values: new Map() }))
  if (cache.state !== state) {
    cache.state = state
    cache.values.clear()
  }
  if (!cache.values.has(name)) cache.values.set(name, read())
  return cache.values.get(name) as T
}

/** Identifies the database's state. `data_version` changes with other connections' commits, `total_changes()` with own writes. */
function readDatabaseState({ sql }: Context): string {
  const dataVersion = sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version ?? 0
  const ownChanges = sql<{ n: number }>('SELECT total_changes() AS n').get()?.n ?? 0
  return `${dataVersion} ${ownChanges}`
}
