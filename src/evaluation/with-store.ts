import { explainedError, openStore, type Access, type LockListener } from '../../cache/open.js'
import type { Hooks } from '../config/settings.js'

/**
 * Opens the store in a folder, runs `work`, and closes the store.
 *
 * @param options.access @default 'write'
 * @param options.waiting notified while another process locks the store
 * @throws the error of `work`; errors of the database explain what happened to the store
 */
export async function withOpenStoreAt<Result>(
  dir: string,
  options: { readonly access?: Access; readonly waiting: LockListener },
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(dir, options)
  try {
    return await withExplainedErrors(store, work)
  } finally {
    await store.close()
  }
}

/** Runs `work` on a store, which stays open. Errors of the database explain what happened to the store. */
export async function withExplainedErrors<Opened extends { readonly location: string }, Result>(
  store: Opened,
  work: (store: Opened) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(store)
  } catch (error) {
    throw await explainedError(store.location, error)
  }
}

/** Turns the wait for a locked store into a note; the hooks' signals end it. */
export const waitingBy = ({ emit, drain, stop }: Pick<Hooks, 'emit' | 'drain' | 'stop'>): LockListener => ({
  tell: text => {
    emit({ type: 'note', text, isUrgent: true })
  },
  drain,
  stop,
})
