import type { Context } from './context.js'
import type { SqliteDatabase } from './database.js'

interface Kept {
  /** Of the database, when the values were read. */
  state: string
  readonly values: Map<string, unknown>
}

const keptByDatabase = new WeakMap<SqliteDatabase, Kept>()

/**
 * What `read` gave the last time, as long as nothing was written since, by this process or another: counting the items of
 * a long run takes a while, and several ask for the same counts one after the other.
 *
 * @param name tells apart what is read, arguments and all
 */
export function whileUnchanged<T>(context: Context, name: string, read: () => T): T {
  const state = stateOf(context)
  let kept = keptByDatabase.get(context.db)
  if (kept === undefined) keptByDatabase.set(context.db, (kept = { state, values: new Map() }))
  if (kept.state !== state) {
    kept.state = state
    kept.values.clear()
  }
  if (!kept.values.has(name)) kept.values.set(name, read())
  return kept.values.get(name) as T
}

/** `data_version` changes with other connections' commits, `total_changes()` with each row that this one writes. */
function stateOf({ sql }: Context): string {
  const others = sql<{ data_version: number }>('PRAGMA data_version').get()?.data_version ?? 0
  const own = sql<{ n: number }>('SELECT total_changes() AS n').get()?.n ?? 0
  return `${others} ${own}`
}
