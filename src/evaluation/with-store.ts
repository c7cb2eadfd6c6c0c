import type { PortableStore } from '../../cache/bundle/portable.js'
import { explainedError, openStore } from '../../cache/open.js'
import type { Store } from '../../cache/store.js'
import type { Hooks } from './settings.js'

/**
 * Opens a store, runs `work`, and closes the store. While another process locks the store, a note names it.
 *
 * @param options.access @default 'write'
 * @throws the error of `work`; errors of the database explain what happened to the store
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
