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
  /** The signals that end a wait for the store, if the command listens for them. */
  readonly signals?: Pick<LockListener, 'drain' | 'stop'> | undefined
}

/** Returns the store that the flags or the environment of a command name. */
export const locateStore = (
  flags: { readonly store?: string },
  tools: Tools,
  signals?: StoreLocation['signals'],
): StoreLocation => ({ dir: storeDir(flags, tools), terminal: tools.terminal, signals })

/** Opens the store, runs `work`, and closes the store. */
export const withOpenStore = <T>(
  { dir, terminal, signals }: StoreLocation,
  access: Access,
  work: Parameters<typeof withOpenStoreAt<T>>[2],
): Promise<T> => withOpenStoreAt(dir, { access, waiting: { ...waitingOn(terminal), ...signals } }, work)

/** The time that a service's request waits for a locked store, in milliseconds. After that, the client gets an error and should retry. */
const servedMs = 5000

/** Opens the store of a server. Its clients do not wait for locks of other processes. */
export const withServedStore = <T>(
  { dir, terminal, signals }: StoreLocation,
  access: Access,
  work: Parameters<typeof withOpenStoreAt<T>>[2],
): Promise<T> =>
  withOpenStoreAt(dir, { access, waiting: { ...waitingOn(terminal), ...signals, limitMs: servedMs } }, work)

export const waitingOn = (terminal: Terminal): LockListener => ({
  tell: line => {
    terminal.tell(line)
  },
})

export { openRun } from '../reading/runs/run-reference.js'
export type { OpenedRun } from '../../cache/store.js'
