import { Worker } from 'node:worker_threads'
import type { MediaDigest } from '../../../../cache/digest.js'
import { messageOf } from '../../../../base/errors.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../define-backend.js'
import type { EngineSettings, ReadMedia } from './engine.js'
import { thrownData, thrownError, type FromWorker, type ToWorker } from './messages.js'
import type { Thread } from './worker-pool.js'

interface Asked {
  readonly resolve: (answer: ModelAnswer) => void
  readonly reject: (error: unknown) => void
}

/** An engine in a thread of its own, as the thread that started it sees it. */
export class WorkerThread implements Thread {
  /** Rejects with the PipelineError of `openEngine`. */
  readonly ready: Promise<void>
  readonly #worker: Worker
  readonly #readMedia: ReadMedia
  readonly #asked = new Map<number, Asked>()
  #nextId = 0
  #ended: Error | undefined

  constructor(settings: EngineSettings, readMedia: ReadMedia) {
    this.#readMedia = readMedia
    this.#worker = startWorker(settings)
    this.ready = new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.type === 'ready') {
          this.#worker.unref()
          resolve()
        } else if (message.type === 'refused') reject(thrownError(message.error))
        else this.#listen(message)
      })
      const end = (why: string): void => {
        this.#end(why)
        reject(new Error(why))
      }
      this.#worker.on('error', error => end(`the model's worker thread ended with an error: ${messageOf(error)}`))
      this.#worker.on('exit', code => end(`the model's worker thread ended (code ${code})`))
    })
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** @throws AttemptError as the engine does, `server` where the thread ends; the signal's reason when it is aborted. */
  async answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    signal.throwIfAborted()
    if (this.#ended !== undefined) throw this.#ended
    const id = this.#nextId++
    // A thread that has nothing to do must not keep the program alive.
    this.#worker.ref()
    const abort = (): void => {
      this.#tell({ type: 'abort', id })
      this.#asked.get(id)?.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await new Promise<ModelAnswer>((resolve, reject) => {
        this.#asked.set(id, { resolve, reject })
        this.#tell({ type: 'ask', id, request })
      })
    } finally {
      signal.removeEventListener('abort', abort)
      this.#asked.delete(id)
      if (this.#asked.size === 0) this.#worker.unref()
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message)
  }

  #listen(message: Exclude<FromWorker, { type: 'ready' | 'refused' }>): void {
    switch (message.type) {
      case 'answered':
        this.#asked.get(message.id)?.resolve(message.answer)
        return
      case 'failed':
        this.#asked.get(message.id)?.reject(thrownError(message.error))
        return
      case 'read-media':
        void this.#bring(message.id, message.digest)
        return
    }
  }

  async #bring(id: number, digest: MediaDigest): Promise<void> {
    try {
      this.#tell({ type: 'media', id, bytes: await this.#readMedia(digest) })
    } catch (error) {
      this.#tell({ type: 'no-media', id, error: thrownData(error) })
    }
  }

  #end(why: string): void {
    this.#ended ??= new AttemptError('server', why, { isRetryable: true })
    for (const asked of this.#asked.values()) asked.reject(this.#ended)
  }
}

/** Run from source (under a test runner), the entry is TypeScript, and the thread has tsx load it. */
function startWorker(settings: EngineSettings): Worker {
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./worker.js', import.meta.url), { workerData: settings })
  }
  const entry = JSON.stringify(new URL('./worker.ts', import.meta.url).href)
  const load = `import('tsx/esm/api').then(tsx => tsx.tsImport(${entry}, ${entry}))`
  return new Worker(load, { eval: true, workerData: settings })
}
