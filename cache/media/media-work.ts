import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { BufferPool } from '../../base/collections/buffer-pool.js'
import { systemCode } from '../../base/errors/errors.js'
import { sha256, type FileDigest, type MediaDigest, type Sha256 } from '../digest.js'
import type { FileContent } from '../store.js'
import { encodeMedium } from './encode-medium.js'

/** A file's content with its digest, computed once. */
export interface HashedContent extends FileContent {
  digest(): Promise<FileDigest>
}

/** A task for the thread that stores media. */
export type MediaTask =
  | { readonly id: number; readonly type: 'digest'; readonly bytes: Uint8Array }
  | {
      readonly id: number
      readonly type: 'encode'
      readonly path: string
      readonly digest: MediaDigest
      readonly bytes: number
      readonly into: Uint8Array
    }

/** A report of the thread that stores media. */
export type MediaReport =
  | { readonly id: number; readonly type: 'digest'; readonly digest: Sha256<never> }
  | { readonly id: number; readonly type: 'encoded'; readonly length: number | undefined }
  | { readonly id: number; readonly type: 'failed'; readonly message: string }

interface PendingWork {
  readonly resolve: (report: MediaReport) => void
  readonly reject: (error: unknown) => void
}

/** The number of bytes from which a thread is worth its start. */
const worthThread = 16 * 2 ** 20
/** The size of a medium from which the thread is worth the cost of handing it over. */
const worthHandingOver = 64 * 2 ** 10
const mostRead = 32 * 2 ** 20

/**
 * Hashes and encodes media. The first ones are processed here. Once there are many, a thread takes over, so that the
 * event loop is not blocked.
 */
export class MediaWork {
  readonly #buffers = new BufferPool(mostRead)
  readonly #waiting = new Map<number, PendingWork>()
  #thread: Worker | undefined
  #asked = 0
  #doneHere = 0

  /** Computes the digest of a content when it is first asked for. */
  hashOnce(content: FileContent): HashedContent {
    let digest: Promise<FileDigest> | undefined
    return { ...content, digest: () => (digest ??= this.digest(content.bytes)) }
  }

  /** Computes a digest, in the thread if the bytes are in shared memory. The bytes must not change meanwhile. */
  async digest<Kind extends string>(bytes: Uint8Array): Promise<Sha256<Kind>> {
    if (!this.#isForThread(bytes.length, bytes)) return sha256<Kind>(bytes)
    const report = await this.#ask({ id: (this.#asked += 1), type: 'digest', bytes })
    if (report.type !== 'digest') throw new Error('internal error: no digest was made')
    return report.digest
  }

  /**
   * Reads a medium of this size and writes it in base64.
   *
   * @returns the number of bytes written, or undefined if the medium is missing, damaged or of another size
   */
  async encode(
    file: { readonly path: string; readonly digest: MediaDigest; readonly bytes: number },
    into: Buffer,
  ): Promise<number | undefined> {
    if (!this.#isForThread(file.bytes, into)) return this.#encodeHere(file, into)
    const report = await this.#ask({ ...file, id: (this.#asked += 1), type: 'encode', into })
    return report.type === 'encoded' ? report.length : undefined
  }

  #isForThread(bytes: number, { buffer }: Uint8Array): boolean {
    if (bytes < worthHandingOver || !(buffer instanceof SharedArrayBuffer)) return false
    if (this.#doneHere >= worthThread) return true
    this.#doneHere += bytes
    return false
  }

  async #encodeHere(
    { path, digest, bytes }: { readonly path: string; readonly digest: MediaDigest; readonly bytes: number },
    into: Buffer,
  ): Promise<number | undefined> {
    const buffer = await this.#buffers.take(bytes)
    try {
      await using file = await open(path)
      const { bytesRead } = await file.read(buffer, 0, bytes, 0)
      return bytesRead === bytes ? encodeMedium(buffer.subarray(0, bytes), digest, into) : undefined
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      return undefined
    } finally {
      this.#buffers.giveBack(buffer)
    }
  }

  #ask(task: MediaTask): Promise<MediaReport> {
    const thread = (this.#thread ??= this.#start())
    // The thread must keep the program alive while it has work, and only then.
    if (this.#waiting.size === 0) thread.ref()
    return new Promise((resolve, reject) => {
      this.#waiting.set(task.id, { resolve, reject })
      thread.postMessage(task)
    })
  }

  #start(): Worker {
    const thread = new Worker(new URL('./media-thread.js', import.meta.url), {
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    })
    thread.on('message', (report: MediaReport) => {
      const waiting = this.#waiting.get(report.id)
      this.#waiting.delete(report.id)
      if (this.#waiting.size === 0) thread.unref()
      if (report.type === 'failed') waiting?.reject(new Error(report.message))
      else waiting?.resolve(report)
    })
    thread.on('error', error => {
      this.#thread = undefined
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    })
    return thread
  }
}
