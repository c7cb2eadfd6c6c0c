import { PipelineError, systemCode } from '../base/errors/errors.js'
import type { PortableStore } from './bundle/portable.js'
import type { LockListener } from './sqlite/connection/lock-wait.js'
import type { Access } from './sqlite/connection/open-sqlite-store.js'
import type { Store } from './store.js'

export type { Access, LockListener }

/** What an error of a store's database means to a person. Any other comes back as it is. */
export async function explainedError(location: string, error: unknown): Promise<unknown> {
  if (!/^SQLITE_/.test(systemCode(error) ?? '')) return error
  const { storeError } = await import('./sqlite/connection/database.js')
  return storeError(location, error)
}

/**
 * Opens the store in a folder, making it where it is not there.
 *
 * `access: 'change'` refuses where there is none: whoever means a run that is there has mistyped the folder. `access: 'read'`
 * never changes anything and works on a medium that can't be written. `cacheMb` is what it keeps in memory of the database's pages.
 * Where another process of this program has it locked, it waits as long as that lives, and `waiting.tell` is told of it.
 *
 * @throws PipelineError (store) where it can't be used, saying why and what to do.
 */
export async function openStore(
  location: string,
  options: {
    readonly access?: Access
    readonly now?: () => number
    readonly cacheMb?: number
    readonly waiting?: LockListener
  } = {},
): Promise<Store & PortableStore> {
  if (/^postgres(ql)?:\/\//.test(location))
    throw new PipelineError('store', 'a shared store in PostgreSQL is not there yet: give a folder with --store DIR')
  const { openSqliteStore } = await import('./sqlite/connection/open-sqlite-store.js')
  // The one place below src/ that knows the time: a store opened by a library user needs no clock.
  return openSqliteStore(location, { ...options, access: options.access ?? 'write', now: options.now ?? Date.now })
}
