import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { forkModule, keepAlive } from '../../../../base/processes/module-process.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { MediumFile } from '../../../../cache/store.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../model.js'
import type { ParentMedia } from './engine.js'
import { thrownData, thrownError, type FromWorker, type ToWorker } from './messages.js'
import { sendTogether } from './send-together.js'
import type { Worker } from './worker-pool.js'

interface WorkerRequest {
  readonly resolve: (answer: ModelAnswer) => void
  readonly reject: (error: unknown) => void
}

/** The number of characters of a worker's last output that are kept for the error message. */
const lastWords = 500

/**
 * A worker process as its parent sees it.
 *
 * It is a process and not a thread. When a program exits early, its threads are stopped, and onnxruntime's native code
 * aborts the whole program if that happens during a computation.
 */
export class WorkerProcess implements Worker {
  /** Rejects with the PipelineError of the engine. */
  readonly ready: Promise<void>
  readonly #child: ChildProcess
  readonly #media: ParentMedia
  /** The files that the worker reads, by the numbers of its requests for them. */
  readonly #openFiles = new Map<number, MediumFile>()
  readonly #asked = new Map<number, WorkerRequest>()
  readonly #tell: (message: ToWorker) => void
  readonly #exited: Promise<void>
  #nextId = 0
  #said = ''
  #ended: Error | undefined

  /** @param entry the compiled module that calls `serveEngine` */
  constructor(entry: URL, settings: unknown, media: ParentMedia) {
    this.#media = media
    const child = forkModule(entry, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    this.#child = child
    // Messages that cannot be sent were for a process that has ended. All pending requests are told of its end.
    this.#tell = sendTogether(messages => void child.send([...messages], () => undefined))
    const { stderr } = child
    stderr?.on('data', (text: Buffer) => (this.#said = (this.#said + text.toString()).slice(-lastWords)))
    // Once is enough. A closed socket would add a listener each time.
    if (stderr instanceof Socket) stderr.unref()
    this.#exited = new Promise(resolve => {
      this.#child.once('exit', () => resolve())
      this.#child.once('error', () => resolve())
    })
    this.ready = this.#open(settings)
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** @throws AttemptError like the engine, or `server` if the process ends. The signal's reason when it is aborted. */
  async answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    signal.throwIfAborted()
    if (this.#ended !== undefined) throw this.#ended
    const id = this.#nextId++
    const abort = (): void => {
      this.#tell({ type: 'abort', id })
      this.#asked.get(id)?.reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
    keepAlive(this.#child, true)
    try {
      return await new Promise<ModelAnswer>((resolve, reject) => {
        this.#asked.set(id, { resolve, reject })
        this.#tell({ type: 'ask', id, request })
      })
    } finally {
      signal.removeEventListener('abort', abort)
      this.#asked.delete(id)
      keepAlive(this.#child, this.#asked.size > 0)
    }
  }

  async close(): Promise<void> {
    keepAlive(this.#child, true)
    this.#child.kill('SIGKILL')
    await this.#exited
  }

  #open(settings: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.on('message', (messages: readonly FromWorker[]) => {
        for (const message of messages)
          if (message.type === 'ready') {
            keepAlive(this.#child, false)
            resolve()
          } else if (message.type === 'refused') reject(thrownError(message.error))
          else this.#listen(message)
      })
      const end = (why: string): void => reject(this.#end(`the model's worker process ended (${why})`))
      this.#child.on('error', error => end(error.message))
      this.#child.on('exit', (code, signal) => end(signal ?? `exit code ${code ?? 'unknown'}`))
      this.#tell({ type: 'open', settings })
    })
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
        void this.#bring(message)
        return
      case 'close-media':
        this.#closeFile(message.id)
        return
    }
  }

  async #bring({ id, digest, as }: Extract<FromWorker, { type: 'read-media' }>): Promise<void> {
    try {
      const media = as === 'bytes' ? await this.#media.readMedia(digest) : await this.#openFile(id, digest)
      this.#tell({ type: 'media', id, media })
    } catch (error) {
      this.#tell({ type: 'no-media', id, error: thrownData(error) })
    }
  }

  async #openFile(id: number, digest: MediaDigest): Promise<string> {
    const file = await this.#media.openMediaFile(digest)
    this.#openFiles.set(id, file)
    if (this.#ended !== undefined) this.#closeFile(id)
    return file.path
  }

  #closeFile(id: number): void {
    void this.#openFiles.get(id)?.[Symbol.asyncDispose]()
    this.#openFiles.delete(id)
  }

  #end(why: string): Error {
    const words = this.#said.trim()
    this.#ended ??= new AttemptError('server', words === '' ? why : `${why}: ${words}`, { isRetryable: true })
    for (const pendingRequest of this.#asked.values()) pendingRequest.reject(this.#ended)
    for (const id of this.#openFiles.keys()) this.#closeFile(id)
    return this.#ended
  }
}
