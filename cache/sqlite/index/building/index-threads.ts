import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { BuildTarget } from './build-target.js'
import type { Store } from '../../../store.js'
import { IndexWork, type IndexLocation } from './index-work.js'
import { searchTexts, type TextSearch } from '../searching/search-texts.js'

export type ThreadOrder =
  | { readonly type: 'prepare'; readonly target: BuildTarget }
  | { readonly type: 'search'; readonly id: number; readonly search: TextSearch }
  | { readonly type: 'cancel'; readonly id: number }
  | { readonly type: 'close' }

export type ThreadReport =
  | { readonly type: 'moved'; readonly failure?: string | undefined }
  | { readonly type: 'hits'; readonly id: number; readonly hits: Float64Array }
  | { readonly type: 'searched'; readonly id: number; readonly message?: string }

/** Receives the progress of a search. */
export interface SearchListener {
  readonly hits: (hits: Float64Array) => void
  /** @param message why it failed */
  readonly done: (message?: string) => void
}

/** Does the slow work of the index. */
export interface IndexHands {
  prepare(target: BuildTarget): void
  /** @returns ends the search */
  search(search: TextSearch, listener: SearchListener): () => void
  close(): Promise<void>
}

/** A thread that builds an index: its file, and the data that it opens its store with. */
export interface IndexThread {
  readonly file: URL
  readonly data: unknown
}

/** The store that is indexed. */
export interface IndexedStore extends IndexLocation {
  readonly labels: Store['labels']
  /** The thread that builds the index. It opens its own connection to the store. */
  readonly thread: IndexThread
}

/** Tells whether the thread's compiled file exists. In tests, which run the sources, it does not. */
export const canStartThread = ({ file }: IndexThread): boolean => existsSync(file)

/** Builds and searches the index in threads. They start on demand and do not keep the process alive. */
export class IndexThreads implements IndexHands {
  readonly #thread: IndexThread
  readonly #moved: (failure?: string) => void
  readonly #searches = new Map<number, SearchListener>()
  #builder: Worker | undefined
  #searcher: Worker | undefined
  #last = 0

  constructor(thread: IndexThread, moved: (failure?: string) => void) {
    this.#thread = thread
    this.#moved = moved
  }

  prepare(target: BuildTarget): void {
    this.#builder ??= this.#start(() => (this.#builder = undefined))
    this.#builder.postMessage({ type: 'prepare', target } satisfies ThreadOrder)
  }

  search(search: TextSearch, listener: SearchListener): () => void {
    this.#searcher ??= this.#start(() => (this.#searcher = undefined))
    const id = (this.#last += 1)
    this.#searches.set(id, listener)
    this.#searcher.postMessage({ type: 'search', id, search } satisfies ThreadOrder)
    return () => this.#searcher?.postMessage({ type: 'cancel', id } satisfies ThreadOrder)
  }

  async close(): Promise<void> {
    const closing = [this.#builder, this.#searcher].map(async worker => {
      if (worker === undefined) return
      const ended = new Promise(resolve => worker.once('exit', resolve))
      // The process waits for the thread's last write.
      worker.ref()
      worker.postMessage({ type: 'close' } satisfies ThreadOrder)
      await ended
    })
    await Promise.all(closing)
  }

  #start(ended: () => void): Worker {
    // Threads must not inherit arguments such as `--eval`.
    const worker = new Worker(this.#thread.file, { workerData: this.#thread.data, execArgv: [] })
    worker.unref()
    worker.on('message', (report: ThreadReport) => this.#hear(report))
    worker.on('error', error => {
      ended()
      this.#moved(error.message)
      for (const { done } of this.#searches.values()) done(error.message)
      this.#searches.clear()
    })
    return worker
  }

  #hear(report: ThreadReport): void {
    if (report.type === 'moved') this.#moved(report.failure)
    else if (report.type === 'hits') this.#searches.get(report.id)?.hits(report.hits)
    else {
      this.#searches.get(report.id)?.done(report.message)
      this.#searches.delete(report.id)
    }
  }
}

/** Works in this thread, for programs that cannot start threads from their files, such as tests of the sources. */
export class SameThread implements IndexHands {
  readonly #work: IndexWork

  constructor(location: IndexLocation, moved: (failure?: string) => void) {
    this.#work = new IndexWork(location, moved)
  }

  prepare(target: BuildTarget): void {
    this.#work.prepare(target)
  }

  search(search: TextSearch, { hits, done }: SearchListener): () => void {
    let isCancelled = false
    searchTexts(search, hits, () => isCancelled).then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error.message : String(error)),
    )
    return () => (isCancelled = true)
  }

  close(): Promise<void> {
    return this.#work.close()
  }
}
