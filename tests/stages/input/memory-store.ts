import { PipelineError } from '../../../base/errors/errors.js'
import type { MediaDigest } from '../../../cache/digest.js'
import type { Run } from '../../../cache/records.js'
import type { DraftDoc, InputProgress, Store } from '../../../cache/store.js'
import { MemoryData } from '../../support/memory-data.js'
import { addRun, MemoryStore as SharedStore } from '../../support/memory-store.js'
import { testAsked, testProvenance } from '../../support/store.js'

/** A store in memory with one run, and what the input stage wrote to it. */
export interface MemoryStore {
  readonly store: Store
  readonly docs: DraftDoc[]
  readonly commits: number[]
  readonly media: ReadonlyMap<MediaDigest, Uint8Array>
  progress: InputProgress
  isLeasedElsewhere: boolean
}

export const run = { ref: 1, asked: { tasks: [] as Run['asked']['tasks'] } } as Run

export function memoryStore(onCommit: (commits: number) => void = () => undefined): MemoryStore {
  const data = new MemoryData()
  const store = new SharedStore(data)
  const stored = data.run(addRun(data, testAsked(), testProvenance).run)
  const commit = store.docs.commit.bind(store.docs)
  const memory: MemoryStore = {
    store,
    docs: [],
    commits: [],
    media: data.media,
    get progress() {
      return stored.progress.get(0) ?? { docs: 0, finished: false }
    },
    set progress(progress) {
      stored.progress.set(0, progress)
    },
    get isLeasedElsewhere() {
      return stored.readers.get(0) === 'elsewhere'
    },
    set isLeasedElsewhere(isLeased) {
      data.admit('elsewhere')
      if (isLeased) stored.readers.set(0, 'elsewhere')
      else stored.readers.delete(0)
    },
  }
  store.docs.commit = async (ofRun, task, docs, finished) => {
    if (memory.progress.finished) throw new PipelineError('store', 'committed after the end')
    const unsent = await commit(ofRun, task, docs, finished)
    memory.docs.push(...docs)
    memory.commits.push(docs.length)
    onCommit(memory.commits.length)
    return unsent
  }
  return memory
}
