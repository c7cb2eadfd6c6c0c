import { PipelineError } from '../../../base/errors.js'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type { Run } from '../../../cache/records.js'
import type { DraftDoc, InputProgress, MediaStore, Store } from '../../../cache/store.js'
import { readFile } from 'node:fs/promises'

/** As much of a store as the input stage touches, in memory. */
export interface MemoryStore {
  readonly store: Store
  readonly docs: DraftDoc[]
  readonly commits: number[]
  readonly media: Map<MediaDigest, Uint8Array>
  progress: InputProgress
  isLeasedElsewhere: boolean
}

export const run = { ref: 1, asked: { tasks: [] as Run['asked']['tasks'] } } as Run

export function memoryStore(onCommit: (commits: number) => void = () => undefined): MemoryStore {
  const media = new Map<MediaDigest, Uint8Array>()
  const addBytes: MediaStore['addBytes'] = bytes => {
    const digest = sha256<'media'>(bytes)
    const isNew = !media.has(digest)
    media.set(digest, bytes)
    return Promise.resolve({ digest, bytes: bytes.byteLength, isNew })
  }
  const parts: Partial<Store> = {
    media: { addBytes, addFile: async (path: string) => addBytes(await readFile(path)) } as MediaStore,
    docs: {
      progress: () => Promise.resolve(memory.progress),
      lease: () =>
        Promise.resolve(!memory.isLeasedElsewhere || { host: 'here', pid: 7, isHere: true, items: 0, silentMs: 0 }),
      commit: (_run, _task, docs, finished) => {
        if (memory.progress.finished) throw new PipelineError('store', 'committed after the end')
        memory.docs.push(...docs)
        memory.commits.push(docs.length)
        memory.progress = { docs: (docs.at(-1)?.index ?? memory.progress.docs - 1) + 1, finished }
        onCommit(memory.commits.length)
        return Promise.resolve()
      },
      recommit: () => Promise.reject(new Error('no doc is committed again here')),
    },
  }
  const memory: MemoryStore = {
    store: parts as Store,
    docs: [],
    commits: [],
    media,
    progress: { docs: 0, finished: false },
    isLeasedElsewhere: false,
  }
  return memory
}
