import { makeMediaError } from '../http/wire/media-body.js'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { type MediaDigest, sha256, streamingSha256 } from '../../../../cache/digest.js'
import type { BackendContext } from '../../define-backend.js'
import { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import type { FileCalls, RemoteFile, UploadPlace } from './file-calls.js'

/** A medium to upload. */
interface Upload {
  readonly digest: MediaDigest
  readonly bytes: number
  readonly mime: string
}

interface UploadsOptions {
  readonly calls: FileCalls
  readonly endpoint: Endpoint
  readonly context: BackendContext
  /** The time that the provider may process a file before the attempt fails, in milliseconds. */
  readonly timeoutMs: number
}

const firstPauseMs = 200
const longestPauseMs = 5_000
/** The maximum number of parallel uploads. More would only share the same bandwidth. */
const mostAtOnce = 4
/** The maximum number of times that an interrupted upload is resumed. */
const mostResumptions = 4

/**
 * Uploads media to the provider. A file's name is made from its content, so this or another process finds it again
 * while the provider keeps it.
 */
export class Uploads {
  readonly #options: UploadsOptions
  readonly #known = new Map<MediaDigest, Promise<RemoteFile>>()
  readonly #closing = new AbortController()
  #underWay = 0
  readonly #waiting: (() => void)[] = []

  constructor(options: UploadsOptions) {
    this.#options = options
  }

  /**
   * Returns the provider's address of a medium that is ready. Uploads it if missing. All callers share it. @throws
   * AttemptError
   */
  async place(upload: Upload): Promise<string> {
    const earlierUpload = this.#known.get(upload.digest)
    if (earlierUpload !== undefined) return (await earlierUpload).uri
    const file = this.#find(upload)
    this.#known.set(upload.digest, file)
    try {
      return (await file).uri
    } catch (error) {
      this.#known.delete(upload.digest)
      throw error
    }
  }

  /** Tells whether placed media still exist. Missing ones will be uploaded again. @throws AttemptError */
  async areThere(digests: readonly MediaDigest[], signal: AbortSignal): Promise<boolean> {
    let areAll = true
    for (const digest of digests) {
      const file = await this.#known.get(digest)
      if (file !== undefined && (await this.#options.calls.get(file.name, signal)) !== undefined) continue
      this.#known.delete(digest)
      areAll = false
    }
    return areAll
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'))
    await this.#options.calls.close()
  }

  async #find(upload: Upload): Promise<RemoteFile> {
    const { calls, endpoint } = this.#options
    const { signal } = this.#closing
    const name = remoteName(upload.digest, endpoint)
    const there = await calls.get(name, signal)
    if (there !== undefined && there.state !== 'FAILED') return this.#ready(there)
    const place = there === undefined ? await calls.begin({ ...upload, name }, signal) : undefined
    if (place !== undefined) return this.#ready(await this.#inTurn(() => this.#send(upload, place, name)))
    // Another process uploaded it first. Otherwise the name belongs to a file that cannot be read or is broken.
    const quicker = there === undefined ? await calls.get(name, signal) : undefined
    if (quicker !== undefined) return this.#ready(quicker)
    const nameless = await calls.begin({ ...upload, name: undefined }, signal)
    if (nameless === undefined) throw new AttemptError('server', 'files: no place to upload to', { isRetryable: true })
    return this.#ready(await this.#inTurn(() => this.#send(upload, nameless, undefined)))
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= mostAtOnce) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#underWay += 1
    try {
      return await work()
    } finally {
      // The next waiting upload takes over the slot.
      const next = this.#waiting.shift()
      if (next === undefined) this.#underWay -= 1
      else next()
    }
  }

  async #send(upload: Upload, place: UploadPlace, name: string | undefined): Promise<RemoteFile> {
    const { calls, context } = this.#options
    const { signal } = this.#closing
    let offset = 0
    for (let resumptions = 0; ; resumptions++) {
      const content = fileBytes(upload.digest, context, offset)
      try {
        return await calls.send(place, { offset, length: upload.bytes - offset, content }, signal)
      } catch (error) {
        if (!(error instanceof AttemptError && error.isRetryable) || resumptions >= mostResumptions) throw error
        const arrived = await calls.arrived(place, signal)
        const whole = arrived === 'all' && name !== undefined ? await calls.get(name, signal) : undefined
        if (whole !== undefined) return whole
        if (arrived === 'all' || (arrived === offset && resumptions > 0)) throw error
        offset = arrived
      }
    }
  }

  /** Waits until the provider has processed the file. */
  async #ready(begun: RemoteFile): Promise<RemoteFile> {
    const { calls, timeoutMs } = this.#options
    let file = begun
    for (
      let waited = 0, pause = firstPauseMs;
      file.state === 'PROCESSING';
      pause = Math.min(2 * pause, longestPauseMs)
    ) {
      if (waited >= timeoutMs)
        throw new AttemptError('timeout', `${file.name} was not ready after ${timeoutMs / 1000} s`, {
          isRetryable: true,
        })
      await sleep(pause, undefined, { signal: this.#closing.signal })
      waited += pause
      const now = await calls.get(file.name, this.#closing.signal)
      if (now === undefined) throw new AttemptError('server', `${file.name} is gone`, { isRetryable: true })
      file = now
    }
    if (file.state === 'ACTIVE') return file
    throw new AttemptError('media', `the provider can't read it: ${file.error?.message ?? file.state}`, {
      isRetryable: false,
    })
  }
}

/**
 * Makes a file name of at most 40 letters and digits, as the API requires. All accounts share the names, so a digest
 * over the key is part of it. The name reveals neither the key nor who has the same medium.
 */
const remoteName = (digest: MediaDigest, { apiKey = '' }: Endpoint): string =>
  `files/p${sha256(`${apiKey}\n${digest}`).slice('sha256:'.length).slice(0, 39)}`

const pieceBytes = 256 * 1024

/** Reads a medium from an offset. The last piece is returned only if the digest of the whole is right. */
async function* fileBytes(
  digest: MediaDigest,
  context: Pick<BackendContext, 'openMediaFile'>,
  offset: number,
): AsyncGenerator<Uint8Array> {
  await using medium = await explainBroken(digest, () => context.openMediaFile(digest))
  await using file = await explainBroken(digest, () => open(medium.path))
  const { size } = await file.stat()
  const hash = streamingSha256<'media'>()
  for (let position = 0; position < size; position += pieceBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position)
    const piece = buffer.subarray(0, bytesRead)
    hash.update(piece)
    if (position + pieceBytes >= size && hash.digest() !== digest)
      throw makeMediaError(digest, 'is damaged in the store')
    const unsent = piece.subarray(Math.max(0, offset - position))
    if (unsent.length > 0) yield unsent
  }
}

async function explainBroken<T>(digest: MediaDigest, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // The store cannot be used at all.
    if (error instanceof PipelineError) throw error
    throw makeMediaError(digest, messageOf(error), error)
  }
}
