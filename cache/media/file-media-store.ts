import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../base/errors/errors.js'
import { RecentMap } from '../../base/collections/recent-map.js'
import { sha256, streamingSha256, type FileDigest, type MediaDigest } from '../digest.js'
import { ChangedFileError, filePieces } from '../file-pieces.js'
import type { FileContent, MediaStore, MediumFile, MediumInfo } from '../store.js'
import { writeAtomically } from './atomic-file.js'
import { makeLastingFile } from './lasting-file.js'
import { MediaWork } from './media-work.js'
import { DamagedMediumError, missingMedium } from './medium-errors.js'

/** The number of media that are remembered. Each takes a hundred bytes, and few media are shown twice. */
const remembered = 8_192

/** A file's content with its digest, computed once. */
export interface HashedContent extends FileContent {
  digest(): Promise<FileDigest>
}

/** Stores media as files named by their digest: `media/ab/cdef…`. */
export class FileMediaStore implements MediaStore {
  readonly #folder: string
  readonly #digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>
  readonly #work = new MediaWork()
  readonly #explain: (error: unknown) => unknown
  /** The media last seen in the store, with their sizes. This saves a look at the disk for an image that docs share. */
  readonly #known = new RecentMap<MediaDigest, number>(remembered)
  readonly #adding = new Map<MediaDigest, Promise<MediumInfo>>()

  constructor(
    folder: string,
    digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>,
    explain: (error: unknown) => unknown,
  ) {
    this.#folder = folder
    this.#digestOfFile = digestOfFile
    this.#explain = explain
  }

  openFile(digest: MediaDigest): Promise<MediumFile> {
    return Promise.resolve(makeLastingFile(this.locate(digest)))
  }

  locate(digest: MediaDigest): string {
    return join(this.#folder, digest.slice(7, 9), digest.slice(9))
  }

  addBytes(bytes: Uint8Array): Promise<MediumInfo> {
    const digest = sha256<'media'>(bytes)
    return this.#once(digest, bytes.length, write => write(bytes))
  }

  async addFile(path: string, read?: FileContent): Promise<MediumInfo> {
    const content = read && this.#hashed(read)
    // A file digest and a media digest of the same bytes are both their SHA-256.
    const digest = (await this.#digestOfFile(path, content)) as string as MediaDigest
    const { size } = content === undefined ? await stat(path) : { size: content.bytes.length }
    return this.#once(digest, size, async write => {
      const written = await (content === undefined ? copyFile(path, write) : content.digest())
      if ((written as string) !== digest) throw new ChangedFileError(path)
      if (content !== undefined) await write(content.bytes)
    })
  }

  encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<number | undefined> {
    return this.#work.encode({ path: this.locate(digest), digest, bytes }, into)
  }

  async read(digest: MediaDigest): Promise<Uint8Array> {
    let bytes: Buffer
    try {
      bytes = await readFile(this.locate(digest))
    } catch (error) {
      throw systemCode(error) === 'ENOENT' ? missingMedium(digest, error) : this.#explain(error)
    }
    if (sha256<'media'>(bytes) !== digest) throw new DamagedMediumError(digest, 'on disk')
    return bytes
  }

  async has(digest: MediaDigest): Promise<boolean> {
    return this.#known.has(digest) || (await readFileSize(this.locate(digest))) !== undefined
  }

  #hashed(content: FileContent): HashedContent {
    let digest: Promise<FileDigest> | undefined
    return { ...content, digest: () => (digest ??= this.#work.digest(content.bytes)) }
  }

  /** Two docs that show the same image at the same time write it once. */
  #once(digest: MediaDigest, bytes: number, fill: Parameters<typeof writeAtomically>[1]): Promise<MediumInfo> {
    if (this.#known.get(digest) === bytes) return Promise.resolve({ digest, bytes, isNew: false })
    const running = this.#adding.get(digest)
    if (running !== undefined) return running.then(info => ({ ...info, isNew: false }))
    const adding = this.#add(digest, bytes, fill).finally(() => this.#adding.delete(digest))
    this.#adding.set(digest, adding)
    return adding
  }

  async #add(digest: MediaDigest, bytes: number, fill: Parameters<typeof writeAtomically>[1]): Promise<MediumInfo> {
    const path = this.locate(digest)
    const isNew = (await readFileSize(path)) !== bytes
    if (isNew) {
      try {
        await writeAtomically(path, fill)
      } catch (error) {
        throw this.#explain(error)
      }
    }
    this.#known.set(digest, bytes)
    return { digest, bytes, isNew }
  }
}

/** @returns the digest of the copied bytes */
async function copyFile(path: string, write: (bytes: Uint8Array) => Promise<void>): Promise<FileDigest> {
  const hash = streamingSha256<'file'>()
  for await (const piece of filePieces(path)) {
    hash.update(piece)
    await write(piece)
  }
  return hash.digest()
}

async function readFileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
