import type { SampleIndex } from '../../store.js'
import type { IndexedStore, PreparedIndex } from './prepared-index.js'

/** The index of a store's samples. The store closes it with itself. */
export interface OpenSampleIndex extends SampleIndex {
  close(): Promise<void>
}

/** Opens the index of a store's samples. Nothing is read or loaded before the first question. */
export function openSampleIndex(store: IndexedStore): OpenSampleIndex {
  let opened: Promise<PreparedIndex> | undefined
  const index = (): Promise<PreparedIndex> => (opened ??= loadIndex(store))
  return {
    find: async (...question) => (await index()).find(...question),
    findDocs: async (...question) => (await index()).findDocs(...question),
    facets: async run => (await index()).facets(run),
    histograms: async (...question) => (await index()).histograms(...question),
    position: async (...question) => (await index()).position(...question),
    prepare: run => void index().then(one => one.prepare(run)),
    async close() {
      const last = opened
      opened = undefined
      await (await last)?.close()
    },
  }
}

/** Programs that only write do not pay for loading it. */
async function loadIndex(store: IndexedStore): Promise<PreparedIndex> {
  const [{ PreparedIndex }, { canStartThreads }] = await Promise.all([
    import('./prepared-index.js'),
    import('./building/index-threads.js'),
  ])
  return PreparedIndex.open(store, canStartThreads())
}
