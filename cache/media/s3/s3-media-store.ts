import { readFile, stat } from 'node:fs/promises'
import { systemCode } from '../../../base/errors/errors.js'
import { sha256, type FileDigest, type MediaDigest } from '../../digest.js'
import { ChangedFileError, copyPieces } from '../../file-pieces.js'
import type { FileContent, ListedMedium, MediaStore, MediumFile, MediumInfo, PresignOptions } from '../../store.js'
import { AddedMedia } from '../added-media.js'
import type { LocalMediaCache } from '../local-cache.js'
import { MediaWork, type HashedContent } from '../media-work.js'
import { DamagedMediumError } from '../medium-errors.js'
import type { Bucket } from './bucket.js'
import { downloadMedium } from './download.js'
import { nameObject, readObjectName } from './object-names.js'
import { base64Checksum, Uploads } from './upload.js'

/** The number of objects that are removed at the same time. */
const removalsAtOnce = 8
/** The number of media that are remembered. Each takes a hundred bytes. */
const remembered = 65_536

/**
 * Stores media as objects with digests as keys, so writing one twice does no harm. Every read checks the digest. Checked copies are cached on this
 * machine.
 */
export class S3MediaStore implements MediaStore {
  readonly #bucket: Bucket
  readonly #cache: LocalMediaCache
  readonly #uploads: Uploads
  readonly #digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>
  readonly #work = new MediaWork()
  readonly #added = new AddedMedia(remembered)
  readonly #fetching = new Map<MediaDigest, Promise<MediumFile>>()

  constructor(
    bucket: Bucket,
    cache: LocalMediaCache,
    digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>,
  ) {
    this.#bucket = bucket
    this.#cache = cache
    this.#uploads = new Uploads(bucket)
    this.#digestOfFile = digestOfFile
  }

  locate(digest: MediaDigest): string {
    return this.#bucket.locate(nameObject(digest))
  }

  presign(digest: MediaDigest, options: PresignOptions): Promise<string> {
    return this.#bucket.presign(nameObject(digest), options)
  }

  addBytes(bytes: Uint8Array): Promise<MediumInfo> {
    return this.#addContent(sha256<'media'>(bytes), bytes)
  }

  async addFile(path: string, read?: FileContent): Promise<MediumInfo> {
    const content = read && this.#work.hashOnce(read)
    // A file digest and a media digest of the same bytes are both their SHA-256.
    const digest = (await this.#digestOfFile(path, content)) as string as MediaDigest
    if (content !== undefined) {
      if (((await content.digest()) as string) !== digest) throw new ChangedFileError(path)
      return this.#addContent(digest, content.bytes)
    }
    const { size } = await stat(path)
    return this.#add(digest, size, async () => {
      // The file may change while it is uploaded, and its copy does not.
      await using copy = await this.#cache.add(digest, async sink => {
        if (((await copyPieces(path, piece => sink.write(piece))) as string) !== digest)
          throw new ChangedFileError(path)
      })
      await this.#uploads.send(copy.path, { digest, name: nameObject(digest), bytes: (await stat(copy.path)).size })
    })
  }

  async openFile(digest: MediaDigest): Promise<MediumFile> {
    for (;;) {
      const cached = await this.#cache.open(digest)
      if (cached !== undefined) return cached
      const running = this.#fetching.get(digest)
      if (running === undefined) return await this.#fetch(digest)
      // The caller that downloads the medium disposes of the file. This caller opens the cached copy, if there is one.
      await running
    }
  }

  async read(digest: MediaDigest): Promise<Uint8Array> {
    const bytes = await this.#withSound(digest, async path => {
      const content = await readFile(path)
      return sha256<'media'>(content) === digest ? content : undefined
    })
    if (bytes !== undefined) return bytes
    throw new DamagedMediumError(digest, `on this machine, after ${this.locate(digest)} was read without an error`)
  }

  async encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<number | undefined> {
    try {
      return await this.#withSound(digest, async path => {
        if ((await stat(path)).size === bytes) return this.#work.encode({ path, digest, bytes }, into)
        return undefined
      })
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || error instanceof DamagedMediumError) return undefined
      throw error
    }
  }

  async has(digest: MediaDigest): Promise<boolean> {
    if (this.#added.has(digest)) return true
    const bytes = await this.#bucket.readSize(nameObject(digest))
    if (bytes !== undefined) this.#added.keep(digest, bytes)
    return bytes !== undefined
  }

  async *list(): AsyncGenerator<ListedMedium> {
    for await (const { name, bytes } of this.#bucket.list()) {
      const digest = readObjectName(name)
      if (digest !== undefined) yield { digest, bytes }
    }
  }

  async remove(digests: readonly MediaDigest[]): Promise<void> {
    this.#added.forget(digests)
    const waiting = [...digests]
    const removeNext = async (): Promise<void> => {
      for (let digest = waiting.pop(); digest !== undefined; digest = waiting.pop()) {
        await this.#bucket.remove(nameObject(digest))
        await this.#cache.drop(digest)
      }
    }
    await Promise.all(Array.from({ length: removalsAtOnce }, removeNext))
  }

  #addContent(digest: MediaDigest, bytes: Uint8Array): Promise<MediumInfo> {
    return this.#add(digest, bytes.length, async () => {
      const [copied, sent] = await Promise.allSettled([
        this.#cache.add(digest, sink => sink.write(bytes)).then(copy => copy[Symbol.asyncDispose]()),
        this.#bucket.write(nameObject(digest), bytes, base64Checksum(digest)),
      ])
      for (const end of [copied, sent]) if (end.status === 'rejected') throw end.reason
    })
  }

  #add(digest: MediaDigest, bytes: number, send: () => Promise<void>): Promise<MediumInfo> {
    return this.#added.addOnce(digest, bytes, async () => {
      if ((await this.#bucket.readSize(nameObject(digest))) === bytes) return false
      await send()
      return true
    })
  }

  #fetch(digest: MediaDigest): Promise<MediumFile> {
    const fetching = this.#cache
      .add(digest, async sink => {
        await downloadMedium(this.#bucket, { digest, name: nameObject(digest) }, sink)
      })
      .finally(() => this.#fetching.delete(digest))
    this.#fetching.set(digest, fetching)
    return fetching
  }

  /** Works on a copy. If it proves to be damaged, it is fetched again. */
  async #withSound<T>(digest: MediaDigest, work: (path: string) => Promise<T | undefined>): Promise<T | undefined> {
    for (let attempt = 0; attempt < 2; attempt++) {
      await using file = await this.openFile(digest)
      const result = await work(file.path)
      if (result !== undefined) return result
      await this.#cache.drop(digest)
    }
    return undefined
  }
}
