import { rmdirSync, rmSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { systemCode } from '../../base/errors/errors.js'
import { sha256, type FileDigest, type MediaDigest, parseDigest } from '../digest.js'
import { ChangedFileError, copyPieces } from '../file-pieces.js'
import type { FileContent, ListedMedium, MediaStore, MediumFile, MediumInfo } from '../store.js'
import { AddedMedia } from './added-media.js'
import { writeAtomically } from './atomic-file.js'
import { makeLastingFile } from './lasting-file.js'
import { MediaWork, type HashedContent } from './media-work.js'
import { DamagedMediumError, missingMedium } from './medium-errors.js'
import { listNames } from '../../base/files/path-kinds.js'

/** The number of media that are remembered. Each takes a hundred bytes, and few media are shown twice. */
const remembered = 8_192

/** Stores media as files named by their digest: `media/ab/cdef…`. */
export class FileMediaStore implements MediaStore {
  readonly #folder: string
  readonly #digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>
  readonly #work = new MediaWork()
  readonly #explain: (error: unknown) => unknown
  readonly #added = new AddedMedia(remembered)

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
    return this.#add(digest, bytes.length, write => write(bytes))
  }

  async addFile(path: string, read?: FileContent): Promise<MediumInfo> {
    const content = read && this.#work.hashOnce(read)
    // A file digest and a media digest of the same bytes are both their SHA-256.
    const digest = (await this.#digestOfFile(path, content)) as string as MediaDigest
    const { size } = content === undefined ? await stat(path) : { size: content.bytes.length }
    return this.#add(digest, size, async write => {
      const writtenDigest = await (content === undefined ? copyPieces(path, write) : content.digest())
      if ((writtenDigest as string) !== digest) throw new ChangedFileError(path)
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
    return this.#added.has(digest) || (await readFileSize(this.locate(digest))) !== undefined
  }

  list(): AsyncIterable<ListedMedium> {
    return listMediaFiles(this.#folder)
  }

  remove(digests: readonly MediaDigest[]): Promise<void> {
    this.removeNow(digests)
    return Promise.resolve()
  }

  /** Removes media at once, as a transaction of SQLite needs it, and the folders that are empty then. No process may add media meanwhile. */
  removeNow(digests: readonly MediaDigest[]): void {
    this.#added.forget(digests)
    const paths = digests.map(digest => this.locate(digest))
    for (const path of paths) rmSync(path, { force: true })
    for (const folder of new Set(paths.map(path => dirname(path)))) removeEmptyFolder(folder)
  }

  #add(digest: MediaDigest, bytes: number, fill: Parameters<typeof writeAtomically>[1]): Promise<MediumInfo> {
    return this.#added.addOnce(digest, bytes, async () => {
      const path = this.locate(digest)
      if ((await readFileSize(path)) === bytes) return false
      try {
        await writeAtomically(path, fill)
      } catch (error) {
        throw this.#explain(error)
      }
      return true
    })
  }
}

function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!/^(ENOTEMPTY|EEXIST|ENOENT)$/.test(systemCode(error) ?? '')) throw error
  }
}

async function readFileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Lists the media in a folder `ab/cdef…`. Files that are not media, and files that vanish meanwhile, are left out. */
async function* listMediaFiles(folder: string): AsyncGenerator<ListedMedium> {
  for (const prefix of await listNames(folder)) {
    if (!/^[0-9a-f]{2}$/.test(prefix)) continue
    const names = (await listNames(join(folder, prefix))).filter(name => /^[0-9a-f]{62}$/.test(name))
    for (const name of names) {
      const stats = await withoutMissing(stat(join(folder, prefix, name)))
      if (stats !== undefined) yield { digest: parseDigest<'media'>(`sha256:${prefix}${name}`), bytes: stats.size }
    }
  }
}

async function withoutMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}
