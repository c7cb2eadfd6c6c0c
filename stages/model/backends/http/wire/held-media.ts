import { newBuffer, pooledSize } from '../../../../../base/collections/buffer-pool.js'
import type { MediaDigest } from '../../../../../cache/digest.js'
import { base64Length } from '../../../../../cache/media/encode-medium.js'
import type { BackendContext } from '../../../define-backend.js'
import type { BodyPiece, MediumHead } from './media-body.js'

type EncodeMedium = NonNullable<BackendContext['encodeMedium']>

/** A medium in base64 that stays in memory until it is released. */
interface HeldMedium {
  readonly base64: Buffer
  /** Releases the medium. @param isSent true if nothing reads it any more. Otherwise its memory is not reused. */
  letGo(isSent: boolean): void
}

interface Entry {
  readonly digest: MediaDigest
  readonly buffer: Buffer
  /** The medium in base64. Undefined if the file is missing or damaged. */
  readonly base64: Promise<Buffer | undefined>
  holders: number
  /** True if the next request may use it, too. */
  isSound: boolean
  isReadElsewhere: boolean
}

const megabyte = 2 ** 20
/** The maximum size of a medium that is kept in memory. Larger media are few, and take long in any case. */
const largest = 4 * megabyte
const mostHeld = 96 * megabyte
/** The maximum memory for media that no request uses now. The next request may use them again. */
const keptIdle = 16 * megabyte

/**
 * Keeps encoded media in memory. A medium is read, checked and encoded once for all requests that use it at the same
 * time or soon after. The memory is limited, so large media are not kept.
 */
export class HeldMedia {
  readonly #write: EncodeMedium
  /** The entries in the order of their last use. */
  readonly #entries = new Map<MediaDigest, Entry>()
  #bytes = 0
  #idleBytes = 0

  constructor(write: EncodeMedium) {
    this.#write = write
  }

  /** Returns a medium. Undefined if there is no memory for it, or if it is missing or damaged. Streaming it reports why. */
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

  /** Returns memory: that of the longest unused medium, or a new buffer. Undefined if all of it is in use. */
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
    return newBuffer(size)
  }

  async #encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<Buffer | undefined> {
    const length = await this.#write(digest, bytes, into)
    return length === undefined ? undefined : into.subarray(0, length)
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

/** A request body in memory until it is released. Its bytes equal those of a streamed body. */
export interface HeldBody {
  readonly length: number
  readonly parts: readonly Buffer[]
  /** Releases the body. @param isSent true if nothing reads it any more */
  letGo(isSent: boolean): void
}

/** Makes a body in memory. @returns undefined if its media do not all fit */
export async function heldBody(
  pieces: readonly BodyPiece[],
  heads: ReadonlyMap<MediaDigest, MediumHead>,
  media: HeldMedia,
): Promise<HeldBody | undefined> {
  const bodyParts = await Promise.all(
    pieces.map(async piece =>
      typeof piece === 'string' ? piece : media.hold(piece.part.media, heads.get(piece.part.media)?.bytes ?? 0),
    ),
  )
  const mediaHeld = bodyParts.filter((part): part is HeldMedium => typeof part === 'object')
  const letGo = (isSent: boolean): void => {
    for (const medium of mediaHeld) medium.letGo(isSent)
  }
  if (bodyParts.includes(undefined)) {
    letGo(true)
    return undefined
  }
  const parts = joinPieces(bodyParts.filter(part => part !== undefined))
  return { length: parts.reduce((sum, { length }) => sum + length, 0), parts, letGo }
}

/** Joins consecutive texts. */
function joinPieces(bodyParts: readonly (string | HeldMedium)[]): readonly Buffer[] {
  const parts: Buffer[] = []
  let text = ''
  for (const part of bodyParts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    if (text !== '') parts.push(Buffer.from(text))
    parts.push(part.base64)
    text = ''
  }
  if (text !== '') parts.push(Buffer.from(text))
  return parts
}
