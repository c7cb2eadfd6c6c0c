import { randomBytes } from 'node:crypto'
import { copyFile, link, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { systemCode } from '../../base/errors/errors.js'
import { isProcessRunning, thisProcess } from '../../base/processes/process-identity.js'
import type { MediaDigest } from '../digest.js'
import { makeFolder } from '../make-folder.js'
import type { MediumFile } from '../store.js'
import { explainFullDisk } from './atomic-file.js'

/** Writes a medium into a new file. `write` appends, and `restart` begins again. */
export interface FileSink {
  write(bytes: Uint8Array): Promise<void>
  restart(): Promise<void>
}

interface CachedFile {
  readonly path: string
  readonly bytes: number
  readonly usedMs: number
}

/** A full cache shrinks to this share of its limit. */
const keptPart = 0.9
/** The folder is measured again after this share of the limit was added, because other processes also add files. */
const unseenPart = 1 / 16
/** Files of a process of another machine are leftovers after this time. */
const leftoverMs = 7 * 24 * 3_600_000
const heldName = 'held'

/**
 * Caches copies of media on this machine, up to a size. Several processes may share the folder. The least recently used files are removed first.
 *
 * A file in use has a second hard link in a folder of the process that uses it, so that it can be removed from the cache.
 */
export class LocalMediaCache {
  readonly #folder: string
  readonly #held: string
  readonly #limit: number
  #named = 0
  /** The bytes in the cache at the last measurement, plus the bytes that this process has added since. */
  #seen: number | undefined
  #added = 0
  #shrinking: Promise<void> | undefined

  /** @param limit the maximum number of bytes */
  constructor(folder: string, limit: number) {
    this.#folder = folder
    const { host, pid, startTime } = thisProcess()
    // A process may open several stores.
    const own = randomBytes(6).toString('hex')
    this.#held = join(folder, heldName, [host, pid, startTime, own].join(separator))
    this.#limit = limit
  }

  /** Opens the copy of a medium. Undefined if the cache has none. */
  async open(digest: MediaDigest): Promise<MediumFile | undefined> {
    const path = this.#newPath()
    try {
      await linkFile(this.#locate(digest), path)
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw error
    }
    const now = new Date()
    // The names share one file, so this also holds for the name in the cache.
    await utimes(path, now, now)
    return makeHeldFile(path)
  }

  /**
   * Writes a medium and keeps a copy of it, unless it is larger than the whole cache.
   *
   * @returns a file that stays until it is disposed of
   */
  async add(digest: MediaDigest, fill: (sink: FileSink) => Promise<void>): Promise<MediumFile> {
    const path = this.#newPath()
    try {
      const bytes = await writeFile(path, fill)
      if (bytes <= this.#limit) {
        await this.#keep(path, digest, bytes)
        await this.#shrink()
      }
    } catch (error) {
      await rm(path, { force: true })
      throw explainFullDisk(this.#folder, error)
    }
    return makeHeldFile(path)
  }

  /** Removes a copy that is damaged. */
  drop(digest: MediaDigest): Promise<void> {
    return rm(this.#locate(digest), { force: true })
  }

  /** Removes the names of files that this process still holds. */
  close(): Promise<void> {
    return rm(this.#held, { recursive: true, force: true })
  }

  #locate(digest: MediaDigest): string {
    return join(this.#folder, digest.slice(7, 9), digest.slice(9))
  }

  #newPath(): string {
    if (this.#named === 0) makeFolder(this.#held)
    this.#named += 1
    return join(this.#held, String(this.#named))
  }

  async #keep(path: string, digest: MediaDigest, bytes: number): Promise<void> {
    const cachePath = this.#locate(digest)
    makeFolder(dirname(cachePath))
    try {
      await linkFile(path, cachePath)
      this.#added += bytes
    } catch (error) {
      // Another process was faster.
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }

  /** Removes files if the cache is too large. */
  async #shrink(): Promise<void> {
    const isUnknown = this.#seen === undefined || this.#added > this.#limit * unseenPart
    if (!isUnknown && (this.#seen ?? 0) + this.#added <= this.#limit) return
    await (this.#shrinking ??= this.#shrinkNow().finally(() => (this.#shrinking = undefined)))
  }

  async #shrinkNow(): Promise<void> {
    this.#added = 0
    await removeLeftovers(join(this.#folder, heldName))
    const files = await listFiles(this.#folder)
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > this.#limit) {
      for (const file of [...files].sort((a, b) => a.usedMs - b.usedMs)) {
        if (bytes <= this.#limit * keptPart) break
        await rm(file.path, { force: true })
        bytes -= file.bytes
      }
    }
    this.#seen = bytes
  }
}

/** Names of hosts have no such character. */
const separator = '~'

const makeHeldFile = (path: string): MediumFile => ({
  path,
  [Symbol.asyncDispose]: () => rm(path, { force: true }),
})

/** Creates a hard link of a file. @throws an error with the code `EEXIST` if the name is taken */
async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    // Some file systems have no second names, so the file is copied.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemCode(error) ?? '')) throw error
    const part = `${to}.${process.pid}.part`
    await copyFile(from, part)
    await rename(part, to)
  }
}

/** Writes a file that is durable, so that a power cut leaves no wrong bytes. @returns its size */
async function writeFile(path: string, fill: (sink: FileSink) => Promise<void>): Promise<number> {
  await using file = await open(path, 'wx').catch((error: unknown) => {
    // Somebody emptied the cache by hand.
    if (systemCode(error) !== 'ENOENT') throw error
    makeFolder(dirname(path))
    return open(path, 'wx')
  })
  let size = 0
  await fill({
    async write(bytes) {
      for (let start = 0; start < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, start, bytes.length - start, size)
        start += bytesWritten
        size += bytesWritten
      }
    },
    async restart() {
      if (size > 0) await file.truncate(0)
      size = 0
    },
  })
  await file.sync()
  return size
}

/** Lists the files of the cache. Files that vanish meanwhile are left out. */
async function listFiles(folder: string): Promise<readonly CachedFile[]> {
  const files: CachedFile[] = []
  for (const prefix of await readNames(folder)) {
    if (!/^[0-9a-f]{2}$/.test(prefix)) continue
    const names = await readNames(join(folder, prefix))
    const cachedFiles = await Promise.all(names.map(name => look(join(folder, prefix, name))))
    files.push(...cachedFiles.filter(file => file !== undefined))
  }
  return files
}

async function look(path: string): Promise<CachedFile | undefined> {
  const stats = await withoutMissing(stat(path))
  return stats && { path, bytes: stats.size, usedMs: stats.mtimeMs }
}

/** Removes the leftover folders of dead processes. */
async function removeLeftovers(folder: string): Promise<void> {
  const self = thisProcess()
  for (const name of await readNames(folder)) {
    const [host = '', pid = '', startTime = ''] = name.split(separator)
    const isLeft =
      host === self.host ? !isProcessRunning({ pid: Number(pid), startTime }) : await isOld(join(folder, name))
    if (isLeft) await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function isOld(path: string): Promise<boolean> {
  const stats = await withoutMissing(stat(path))
  return stats !== undefined && stats.mtimeMs + leftoverMs < Date.now()
}

const readNames = async (folder: string): Promise<readonly string[]> => (await withoutMissing(readdir(folder))) ?? []

async function withoutMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
