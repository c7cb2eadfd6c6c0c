import type { Access, LockListener } from '../../cache/open.js'
import { surroundings } from '../config/eval-settings.js'
import { withOpenStoreAt } from '../evaluation/with-store.js'
import type { Tools } from './command.js'
import type { Terminal } from './display/terminal.js'

/** The store's folder, from flag or environment. */
export const storeDir = (flags: { readonly store?: string }, { env }: Tools): string =>
  surroundings(flags, {}, env).store

/** A store's folder or address, and the terminal for a note while another process locks it. */
export interface StoreLocation {
  readonly dir: string
  readonly terminal: Terminal
}

/** Returns the store that the flags or the environment of a command name. */
export const locateStore = (flags: { readonly store?: string }, tools: Tools): StoreLocation => ({
  dir: storeDir(flags, tools),
  terminal: tools.terminal,
})

/** Opens the store, runs `work`, and closes the store. */
export const withOpenStore = <T>(
  { dir, terminal }: StoreLocation,
  access: Access,
  work: Parameters<typeof withOpenStoreAt<T>>[2],
): Promise<T> => withOpenStoreAt(dir, { access, waiting: waitingOn(terminal) }, work)

/** The time that a service's request waits for a locked store, in milliseconds. After that, the client gets an error and should retry. */
const servedMs = 5000

/** Opens the store of a server. Its clients do not wait for locks of other processes. */
export const withServedStore = <T>(
  { dir, terminal }: StoreLocation,
  access: Access,
  work: Parameters<typeof withOpenStoreAt<T>>[2],
): Promise<T> => withOpenStoreAt(dir, { access, waiting: { ...waitingOn(terminal), limitMs: servedMs } }, work)

export const waitingOn = (terminal: Terminal): LockListener => ({
  tell: line => {
    terminal.tell(line)
  },
})

export { openRun } from '../reading/runs/run-reference.js'
export type { OpenedRun } from '../../cache/store.js'
