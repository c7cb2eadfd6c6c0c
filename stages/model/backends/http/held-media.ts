import { open } from 'node:fs/promises'
import { BufferPool, pooledSize } from '../../../../base/buffer-pool.js'
import { systemCode } from '../../../../base/errors.js'
import { sha256, type MediaDigest } from '../../../../cache/digest.js'
import type { BackendContext } from '../../define-backend.js'

/** A medium in base64, in memory until it is let go. */
export interface HeldMedium {
  readonly base64: Buffer
  /** @param isSent whether nobody reads it any more; else its memory is not used again. */
  letGo(isSent: boolean): void
}

interface Entry {
  readonly digest: MediaDigest
  readonly buffer: Buffer
  /** Nothing where the file is not what its digest says. */
  readonly base64: Promise<Buffer | undefined>
  holders: number
  /** Whether the next request may have it, too. */
  isSound: boolean
  isReadElsewhere: boolean
}

const megabyte = 2 ** 20
/** Of a file. Larger ones are few, and take long in any case. */
const largest = 4 * megabyte
const mostFiles = 32 * megabyte
const mostHeld = 96 * megabyte
/** Of media that nobody holds: the next request may show them again. */
const keptIdle = 16 * megabyte

/**
 * Media as requests show them: read, checked and encoded once for all requests that show them at the same time or soon
 * after each other. What is in memory is bounded: larger media, or more of them, are not held.
 */
export class HeldMedia {
  readonly #pathOf: BackendContext['mediaPath']
  readonly #files = new BufferPool(mostFiles)
  /** Those that were held last are last. */
  readonly #entries = new Map<MediaDigest, Entry>()
  #bytes = 0
  #idleBytes = 0

  constructor(pathOf: BackendContext['mediaPath']) {
    this.#pathOf = pathOf
  }

  /** Nothing where there is no room for it, or where it is missing or damaged: that is told where it is streamed. */
  async hold(digest: MediaDigest, bytes: number): Promise<HeldMedium | undefined> {
    const entry = this.#entries.get(digest) ?? this.#begin(digest, bytes)
    if (entry === undefined) return undefined
    this.#occupy(entry)
    try {
      const base64 = await entry.base64
      if (base64 !== undefined) {
        entry.isSound = true
        return { base64, letGo: isSent => this.#letGo(entry, isSent) }
      }
    } finally {
      if (!entry.isSound) this.#letGo(entry, true)
    }
    return undefined
  }

  #begin(digest: MediaDigest, bytes: number): Entry | undefined {
    const buffer = bytes > largest ? undefined : this.#roomFor(base64Length(bytes))
    if (buffer === undefined) return undefined
    const base64 = this.#encode(digest, bytes, buffer)
    return { digest, buffer, base64, holders: 0, isSound: false, isReadElsewhere: false }
  }

  /** The memory of a medium that nobody has held for longest, or new one; nothing where all is held. */
  #roomFor(bytes: number): Buffer | undefined {
    const size = pooledSize(bytes)
    for (const entry of this.#entries.values()) {
      if (this.#idleBytes <= keptIdle && this.#bytes + size <= mostHeld) break
      if (entry.holders > 0) continue
      this.#drop(entry)
      if (entry.buffer.length !== size || entry.isReadElsewhere) continue
      this.#bytes += size
      return entry.buffer
    }
    if (this.#bytes + size > mostHeld) return undefined
    this.#bytes += size
    return Buffer.allocUnsafeSlow(size)
  }

  async #encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<Buffer | undefined> {
    const buffer = await this.#files.take(bytes)
    try {
      const isWhole = await readWhole(this.#pathOf(digest), buffer.subarray(0, bytes))
      const content = buffer.subarray(0, bytes)
      return isWhole && sha256<'media'>(content) === digest ? writeBase64(content, into) : undefined
    } finally {
      this.#files.giveBack(buffer)
    }
  }

  #occupy(entry: Entry): void {
    if (this.#entries.delete(entry.digest) && entry.holders === 0) this.#idleBytes -= entry.buffer.length
    entry.holders += 1
    this.#entries.set(entry.digest, entry)
  }

  #letGo(entry: Entry, isSent: boolean): void {
    entry.holders -= 1
    if (!isSent) entry.isReadElsewhere = true
    if (entry.holders > 0) return
    this.#idleBytes += entry.buffer.length
    if (!entry.isSound) this.#drop(entry)
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.digest)
    this.#idleBytes -= entry.buffer.length
    this.#bytes -= entry.buffer.length
  }
}

/** @returns whether a file fills the buffer, which it does where it is as long as it was. */
async function readWhole(path: string, into: Buffer): Promise<boolean> {
  try {
    await using file = await open(path)
    const { bytesRead } = await file.read(into, 0, into.length, 0)
    return bytesRead === into.length
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    return false
  }
}

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)

/** So much becomes a text at once: larger ones are made outside of the heap, which takes ten times as long. */
const textBytes = 3 * 16 * 1024

function writeBase64(bytes: Buffer, into: Buffer): Buffer {
  let length = 0
  for (let start = 0; start < bytes.length; start += textBytes)
    length += into.write(bytes.toString('base64', start, Math.min(start + textBytes, bytes.length)), length, 'latin1')
  return into.subarray(0, length)
}
