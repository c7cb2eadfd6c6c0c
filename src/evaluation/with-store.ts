import type { PortableStore } from '../../cache/bundle/portable.js'
import { explainedError, openStore } from '../../cache/open.js'
import type { Store } from '../../cache/store.js'
import type { Hooks } from './settings.js'

/**
 * Opens a store, does the work, and closes it, whatever came of the work. Where another process keeps the store locked, that is told.
 *
 * @param options.access @default 'write'
 * @throws whatever the work throws; errors of the database say what happened to the store
 */
export async function withStore<Result>(
  dir: string,
  { hooks, access }: { readonly hooks: Hooks; readonly access?: 'write' | 'change' },
  work: (store: Store & PortableStore) => Promise<Result>,
): Promise<Result> {
  const { emit, drain, stop } = hooks
  const store = await openStore(dir, {
    ...(access && { access }),
    waiting: { tell: text => emit({ type: 'note', text }), drain, stop },
  })
  try {
    return await work(store)
  } catch (error) {
    throw await explainedError(dir, error)
  } finally {
    await store.close()
  }
}
