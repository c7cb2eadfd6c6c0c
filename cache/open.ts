import { PipelineError, systemCode } from '../base/errors/errors.js'
import { option } from '../base/errors/option-words.js'
import type { PortableStore } from './bundle/portable.js'
import type { LockListener } from './sqlite/connection/lock-wait.js'
import type { Access } from './sqlite/connection/open-sqlite-store.js'
import type { Store } from './store.js'

export type { Access, LockListener }

/** Explains an error of a store's database to the user. Returns any other error as it is. */
export async function explainedError(location: string, error: unknown): Promise<unknown> {
  if (!/^SQLITE_/.test(systemCode(error) ?? '')) return error
  const { storeError } = await import('./sqlite/connection/store-error.js')
  return storeError(location, error)
}

/**
 * Opens the store in a folder.
 *
 * - `access: 'write'` makes the store if it does not exist. This is the default.
 * - `access: 'change'` fails if it does not exist. A command on an existing run uses it, so that a mistyped folder is
 *   noticed.
 * - `access: 'read'` never changes anything and works on read-only media.
 * - `cacheMb` is the memory for database pages.
 *
 * While another process of this program holds a lock, it waits and informs `waiting.tell`.
 *
 * @throws PipelineError (store) if the store cannot be used, with the reason and what to do
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
    throw new PipelineError(
      'store',
      `a shared store in PostgreSQL is not there yet: give a folder with ${option('store', 'DIR')}`,
      { reason: 'store-unsupported' },
    )
  const { openSqliteStore } = await import('./sqlite/connection/open-sqlite-store.js')
  // This is the only place below src/ that reads the clock, so a program that opens a store need not pass one.
  return openSqliteStore(location, { ...options, access: options.access ?? 'write', now: options.now ?? Date.now })
}
