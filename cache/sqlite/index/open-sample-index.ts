import type { SampleIndex, Store } from '../../store.js'
import type { IndexedStore } from './building/index-threads.js'
import type { PreparedIndex } from './prepared-index.js'

/** The index of a store's samples. The store closes it with itself. */
export interface OpenSampleIndex extends SampleIndex {
  close(): Promise<void>
}

/** Opens the index of a store's samples. Nothing is read or loaded before the first question. */
export function openSampleIndex(open: () => Promise<IndexedStore>): OpenSampleIndex {
  let opened: Promise<PreparedIndex> | undefined
  const index = (): Promise<PreparedIndex> => (opened ??= loadIndex(open))
  return {
    find: async (...question) => (await index()).find(...question),
    findDocs: async (...question) => (await index()).findDocs(...question),
    facets: async run => (await index()).facets(run),
    histograms: async (...question) => (await index()).histograms(...question),
    position: async (...question) => (await index()).position(...question),
    prepare: run => void index().then(sampleIndex => sampleIndex.prepare(run)),
    async close() {
      const last = opened
      opened = undefined
      await (await last)?.close()
    },
  }
}

/** Programs that only write do not pay for loading it. */
async function loadIndex(open: () => Promise<IndexedStore>): Promise<PreparedIndex> {
  const [{ PreparedIndex }, store] = await Promise.all([import('./prepared-index.js'), open()])
  return PreparedIndex.open(store)
}

/** Opens the index of a store in a folder. */
export const openFolderIndex = ({
  dir,
  readOnly,
  labels,
}: Pick<Store, 'readOnly' | 'labels'> & { readonly dir: string }): OpenSampleIndex =>
  openSampleIndex(async () => {
    const [{ indexPath }, { openSqliteSource }] = await Promise.all([
      import('./building/index-file.js'),
      import('./source/sqlite-source.js'),
    ])
    const file = indexPath(dir, readOnly)
    const thread = { file: new URL('./building/index-thread.js', import.meta.url), data: { dir, file } }
    return { openSource: () => openSqliteSource(dir), file, labels, thread }
  })
