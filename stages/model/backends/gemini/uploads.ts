import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../../../base/errors/errors.js'
import { type MediaDigest, sha256, streamingSha256 } from '../../../../cache/digest.js'
import type { BackendContext } from '../../define-backend.js'
import { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import type { FileCalls, RemoteFile, UploadPlace } from './file-calls.js'

/** A medium as it is uploaded. */
interface Upload {
  readonly digest: MediaDigest
  readonly bytes: number
  readonly mime: string
}

interface UploadsOptions {
  readonly calls: FileCalls
  readonly endpoint: Endpoint
  readonly context: BackendContext
  /** The longest that a file may be worked on before an attempt has failed. Milliseconds. */
  readonly timeoutMs: number
}

const firstPauseMs = 200
const longestPauseMs = 5_000
/** Uploads at once: more only share the same line. */
const mostAtOnce = 4
/** So often an upload is taken up again where it broke off. */
const mostResumptions = 4

/**
 * Media with the provider. Each lies there under a name made of its content, so that it is found again, by this process or another,
 * as long as the provider keeps it.
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

  /** The provider's address of a medium, ready to be shown; uploaded if it is not there. Shared by all callers. @throws AttemptError */
  async place(upload: Upload): Promise<string> {
    const known = this.#known.get(upload.digest)
    if (known !== undefined) return (await known).uri
    const file = this.#find(upload)
    this.#known.set(upload.digest, file)
    try {
      return (await file).uri
    } catch (error) {
      this.#known.delete(upload.digest)
      throw error
    }
  }

  /** Whether media that were placed still are; those that are not will be uploaded again. @throws AttemptError */
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
    // Another process was quicker; else the name is taken by what is not to be seen, or no good.
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
      // Whoever waits takes the place over.
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
      const content = fileBytes(upload.digest, context.mediaPath(upload.digest), offset)
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

  /** Waits until the provider has worked it up. */
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
 * Up to 40 letters and digits, as the API wants it. The key is in it since names are those of all accounts; nobody finds out the
 * key by it, nor who has the same medium.
 */
const remoteName = (digest: MediaDigest, { apiKey = '' }: Endpoint): string =>
  `files/p${sha256(`${apiKey}\n${digest}`).slice('sha256:'.length).slice(0, 39)}`

const pieceBytes = 256 * 1024

/** A medium's bytes from a place on. The last piece comes only when the digest of all is right. */
async function* fileBytes(digest: MediaDigest, path: string, offset: number): AsyncGenerator<Uint8Array> {
  await using file = await opened(digest, path)
  const { size } = await file.stat()
  const hash = streamingSha256<'media'>()
  for (let position = 0; position < size; position += pieceBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position)
    const piece = buffer.subarray(0, bytesRead)
    hash.update(piece)
    if (position + pieceBytes >= size && hash.digest() !== digest) throw broken(digest, 'is damaged in the store')
    const unsent = piece.subarray(Math.max(0, offset - position))
    if (unsent.length > 0) yield unsent
  }
}

async function opened(digest: MediaDigest, path: string) {
  try {
    return await open(path)
  } catch (error) {
    throw broken(digest, messageOf(error), error)
  }
}

const broken = (digest: MediaDigest, reason: string, cause?: unknown) =>
  new AttemptError('media', `medium ${digest}: ${reason}`, { isRetryable: false, cause })
