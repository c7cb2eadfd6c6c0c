import { explainedError, openStore, type Access, type LockListener } from '../../cache/open.js'
import { surroundings } from '../config/eval-settings.js'
import type { Tools } from './command.js'
import type { Terminal } from './display/terminal.js'

/** Where the store is, by flag or environment. */
export const storeDir = (flags: { readonly store?: string }, { env }: Tools): string =>
  surroundings(flags, {}, env).store

/** A store, and the terminal on which is told where another process keeps it locked. */
export interface StorePlace {
  readonly dir: string
  readonly terminal: Terminal
}

/** The store of a command. */
export const storePlace = (flags: { readonly store?: string }, tools: Tools): StorePlace => ({
  dir: storeDir(flags, tools),
  terminal: tools.terminal,
})

/** Opens the store for as long as `work` takes. */
export async function withOpenStore<T>(
  { dir, terminal }: StorePlace,
  access: Access,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  const store = await openStore(dir, { access, waiting: waitingOn(terminal) })
  try {
    return await work(store)
  } catch (error) {
    throw await explainedError(dir, error)
  } finally {
    await store.close()
  }
}

export const waitingOn = (terminal: Terminal): LockListener => ({
  tell: line => {
    terminal.tell(line)
  },
})

export { openRun, type OpenedRun } from '../evaluation/run-reference.js'
