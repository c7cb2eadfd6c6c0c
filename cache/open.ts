import { PipelineError, systemCode } from '../base/errors/errors.js'
import { option } from '../base/errors/option-words.js'
import { isServerAddress } from '../base/text/server-address.js'
import type { PortableStore } from './bundle/portable.js'
import { refuseOtherAddress, resolveLocation } from './location.js'
import type { Store, VerifyReport } from './store.js'
import type { Access, LockListener } from './store/opening.js'

export type { Access, LockListener }

/** Tells whether there is a store. @throws PipelineError (store) if this user may not read the folder, so that one may exist */
export async function holdsStore(location: string): Promise<boolean> {
  refuseOtherAddress(location)
  if (isServerAddress(location)) {
    const { holdsPostgresStore } = await import('./postgres/connection/open-postgres-store.js')
    return holdsPostgresStore(location)
  }
  const { holdsDatabase } = await import('./sqlite/connection/database.js')
  return holdsDatabase(location)
}

/** Explains an error of a store's database to the user. Other errors are returned unchanged. */
export async function explainedError(location: string, error: unknown): Promise<unknown> {
  if (!/^SQLITE_/.test(systemCode(error) ?? '')) return error
  const { storeError } = await import('./sqlite/connection/store-error.js')
  return storeError(location, error)
}

/**
 * Opens the store in a folder, or at the address of a server.
 *
 * - `access: 'write'` creates the store if it does not exist. This is the default.
 * - `access: 'change'` fails if the store does not exist. Commands on existing runs use it, so that a mistyped folder is noticed.
 * - `access: 'read'` never changes anything and works on read-only media.
 * - `cacheMb` is the memory for database pages of a store in a folder.
 *
 * While another process of this program holds a lock, or the server cannot be reached, it waits and informs `waiting.tell`.
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
  const { access = 'write', now, waiting } = options
  refuseOtherAddress(location)
  if (isServerAddress(location)) {
    const { openPostgresStore } = await import('./postgres/connection/open-postgres-store.js')
    return openPostgresStore(location, { access, ...(waiting && { waiting }) })
  }
  if (location.trim() === '')
    throw new PipelineError(
      'usage',
      `${option('store')}: give the path of a folder, such as ${option('store', 'runs')}`,
    )
  const { openSqliteStore } = await import('./sqlite/connection/open-sqlite-store.js')
  // This is the only place below src/ that reads the clock, so a program that opens a store need not pass one.
  return openSqliteStore(resolveLocation(location), { ...options, access, now: now ?? Date.now })
}

/**
 * Checks a store as a whole, even one that cannot be opened. `repair` repairs or deletes damaged parts, and keeps every answer that can still be read.
 *
 * @throws PipelineError (store) if the store cannot be used, or if its database is unreadable and `repair` is off
 */
export async function verifyStore(
  location: string,
  options: { readonly repair: boolean; readonly waiting?: LockListener },
): Promise<VerifyReport> {
  refuseOtherAddress(location)
  if (isServerAddress(location)) {
    const { repair, waiting } = options
    const store = await openStore(location, { access: repair ? 'change' : 'read', ...(waiting && { waiting }) })
    try {
      return await store.upkeep.verify({ repair })
    } finally {
      await store.close()
    }
  }
  const { verifyFolder } = await import('./sqlite/repair/verify-folder.js')
  return verifyFolder(resolveLocation(location), { ...options, now: Date.now })
}
