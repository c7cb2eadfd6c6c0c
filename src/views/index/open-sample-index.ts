import type { Store } from '../../../cache/store.js'
import { canStartThreads } from './building/index-threads.js'
import { PreparedIndex } from './prepared-index.js'
import type { SampleIndex } from './sample-index.js'

/**
 * Opens the index of a store's samples. Nothing is read before the first question. The caller closes it before the store.
 *
 * @param options.inThread false to build and search in this thread, which blocks it for up to seconds at a time. @default true in the built program
 */
export function openSampleIndex(
  store: Store,
  { inThread = canStartThreads() }: { readonly inThread?: boolean } = {},
): SampleIndex {
  let opened: Promise<PreparedIndex> | undefined
  const index = (): Promise<PreparedIndex> => (opened ??= PreparedIndex.open(store, inThread))
  return {
    rows: async (...query) => (await index()).rows(...query),
    facets: async run => (await index()).facets(run),
    position: async (...query) => (await index()).position(...query),
    prepare: run => void index().then(one => one.prepare(run)),
    close: async () => (await opened)?.close(),
  }
}
