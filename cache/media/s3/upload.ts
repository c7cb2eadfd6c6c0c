import { open } from 'node:fs/promises'
import { BufferPool } from '../../../base/collections/buffer-pool.js'
import { digestBytes, type MediaDigest } from '../../digest.js'
import type { Bucket, UploadedPart } from './bucket.js'

const megabyte = 2 ** 20
/** Larger files are uploaded in parts of this size. */
const partBytes = 8 * megabyte
/** A server takes 10,000 parts. */
const mostParts = 9_000
const partsAtOnce = 4

/** Uploads media from files, with a limited amount of memory. */
export class Uploads {
  readonly #bucket: Bucket
  readonly #buffers = new BufferPool(64 * megabyte)

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  /** Uploads a file that does not change. */
  async send(
    path: string,
    { digest, name, bytes }: { digest: MediaDigest; name: string; bytes: number },
  ): Promise<void> {
    if (bytes <= partBytes) {
      await this.#withPiece(path, 0, bytes, piece => this.#bucket.write(name, piece, base64Checksum(digest)))
      return
    }
    const uploadId = await this.#bucket.beginUpload(name)
    try {
      const parts = await this.#sendParts(path, { name, bytes, uploadId })
      await this.#bucket.endUpload(name, uploadId, parts, bytes)
    } catch (error) {
      await this.#bucket.abortUpload(name, uploadId)
      throw error
    }
  }

  async #sendParts(
    path: string,
    { name, bytes, uploadId }: { readonly name: string; readonly bytes: number; readonly uploadId: string },
  ): Promise<readonly UploadedPart[]> {
    const size = Math.max(partBytes, Math.ceil(bytes / mostParts / megabyte) * megabyte)
    const count = Math.ceil(bytes / size)
    const parts: UploadedPart[] = []
    let next = 0
    let hasFailed = false
    const sendNext = async (): Promise<void> => {
      while (next < count && !hasFailed) {
        const index = next
        next += 1
        const length = Math.min(size, bytes - index * size)
        parts[index] = await this.#withPiece(path, index * size, length, piece =>
          this.#bucket.uploadPart(name, uploadId, index + 1, piece),
        ).catch((error: unknown) => {
          hasFailed = true
          throw error
        })
      }
    }
    const ended = await Promise.allSettled(Array.from({ length: Math.min(partsAtOnce, count) }, sendNext))
    const failed = ended.find(end => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return parts
  }

  async #withPiece<T>(path: string, from: number, length: number, work: (piece: Buffer) => Promise<T>): Promise<T> {
    const buffer = await this.#buffers.take(length)
    try {
      await using file = await open(path)
      const { bytesRead } = await file.read(buffer, 0, length, from)
      if (bytesRead !== length) throw new Error(`${path} became shorter while it was read`)
      return await work(buffer.subarray(0, length))
    } finally {
      this.#buffers.giveBack(buffer)
    }
  }
}

/** Returns a digest in the form of an object storage header. */
export const base64Checksum = (digest: MediaDigest): string => digestBytes(digest).toString('base64')
