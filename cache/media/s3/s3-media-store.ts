import { readFile, stat } from 'node:fs/promises'
import { RecentMap } from '../../../base/collections/recent-map.js'
import { systemCode } from '../../../base/errors/errors.js'
import { sha256, streamingSha256, type FileDigest, type MediaDigest } from '../../digest.js'
import { ChangedFileError, filePieces } from '../../file-pieces.js'
import type { FileContent, MediaStore, MediumFile, MediumInfo } from '../../store.js'
import type { HashedContent } from '../file-media-store.js'
import type { FileSink, LocalMediaCache } from '../local-cache.js'
import { MediaWork } from '../media-work.js'
import { DamagedMediumError } from '../medium-errors.js'
import type { Bucket } from './bucket.js'
import { downloadMedium } from './download.js'
import { nameObject } from './object-names.js'
import { base64Checksum, Uploads } from './upload.js'

/** The number of media that are remembered. Each takes a hundred bytes. */
const remembered = 65_536

/**
 * Stores media as objects whose keys are their digests, so writing one twice does no harm. The digest is checked whenever an object is read, whatever
 * the server checks. Copies that were checked are kept on this machine.
 */
export class S3MediaStore implements MediaStore {
  readonly #bucket: Bucket
  readonly #cache: LocalMediaCache
  readonly #uploads: Uploads
  readonly #digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>
  readonly #work = new MediaWork()
  /** The media last seen in the bucket, with their sizes. */
  readonly #known = new RecentMap<MediaDigest, number>(remembered)
  readonly #adding = new Map<MediaDigest, Promise<MediumInfo>>()
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

  addBytes(bytes: Uint8Array): Promise<MediumInfo> {
    return this.#addContent(sha256<'media'>(bytes), bytes)
  }

  async addFile(path: string, read?: FileContent): Promise<MediumInfo> {
    const content = read && this.#hashed(read)
    // A file digest and a media digest of the same bytes are both their SHA-256.
    const digest = (await this.#digestOfFile(path, content)) as string as MediaDigest
    if (content !== undefined) {
      if (((await content.digest()) as string) !== digest) throw new ChangedFileError(path)
      return this.#addContent(digest, content.bytes)
    }
    const { size } = await stat(path)
    return this.#once(digest, size, async () => {
      // The file may change while it is uploaded, and its copy does not.
      await using copy = await this.#cache.add(digest, async sink => {
        if ((await copyPieces(path, sink)) !== digest) throw new ChangedFileError(path)
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
      // Whoever fetches it disposes of the file. This caller opens the copy in the cache, if there is one.
      await running
    }
  }

  async read(digest: MediaDigest): Promise<Uint8Array> {
    const bytes = await this.#withSound(digest, async path => {
      const content = await readFile(path)
      return sha256<'media'>(content) === digest ? content : undefined
    })
    if (bytes === undefined) throw this.#damagedCopy(digest)
    return bytes
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
    if (this.#known.has(digest)) return true
    const bytes = await this.#bucket.readSize(nameObject(digest))
    if (bytes !== undefined) this.#known.set(digest, bytes)
    return bytes !== undefined
  }

  #hashed(content: FileContent): HashedContent {
    let digest: Promise<FileDigest> | undefined
    return { ...content, digest: () => (digest ??= this.#work.digest(content.bytes)) }
  }

  #addContent(digest: MediaDigest, bytes: Uint8Array): Promise<MediumInfo> {
    return this.#once(digest, bytes.length, async () => {
      const [copied, sent] = await Promise.allSettled([
        this.#cache.add(digest, sink => sink.write(bytes)).then(copy => copy[Symbol.asyncDispose]()),
        this.#bucket.write(nameObject(digest), bytes, base64Checksum(digest)),
      ])
      for (const end of [copied, sent]) if (end.status === 'rejected') throw end.reason
    })
  }

  /** Two docs that show the same medium at the same time write it once. */
  #once(digest: MediaDigest, bytes: number, send: () => Promise<void>): Promise<MediumInfo> {
    if (this.#known.get(digest) === bytes) return Promise.resolve({ digest, bytes, isNew: false })
    const running = this.#adding.get(digest)
    if (running !== undefined) return running.then(info => ({ ...info, isNew: false }))
    const adding = this.#add(digest, bytes, send).finally(() => this.#adding.delete(digest))
    this.#adding.set(digest, adding)
    return adding
  }

  async #add(digest: MediaDigest, bytes: number, send: () => Promise<void>): Promise<MediumInfo> {
    const isNew = (await this.#bucket.readSize(nameObject(digest))) !== bytes
    if (isNew) await send()
    this.#known.set(digest, bytes)
    return { digest, bytes, isNew }
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

  #damagedCopy = (digest: MediaDigest): DamagedMediumError =>
    new DamagedMediumError(digest, `on this machine, after ${this.locate(digest)} was read without an error`)
}

/** @returns the digest of the copied bytes */
async function copyPieces(path: string, sink: Pick<FileSink, 'write'>): Promise<string> {
  const hash = streamingSha256<'file'>()
  for await (const piece of filePieces(path)) {
    hash.update(piece)
    await sink.write(piece)
  }
  return hash.digest()
}
