import { open, stat, type FileHandle } from 'node:fs/promises'
import { statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, PipelineError, systemCode } from '../../../base/errors/errors.js'

/** The disk did not confirm a write. The system may have dropped the data, and a later sync may still succeed, so the process must stop. */
export class UnsyncedError extends Error {
  override readonly name = 'UnsyncedError'
}

/**
 * Makes commits durable in the background. SQLite's own sync would block the event loop. A commit is in the write-ahead log until a checkpoint, which
 * also syncs.
 */
export class LogSync {
  readonly #path: string
  readonly #database: string
  readonly #identity: string
  #file: Promise<FileHandle> | undefined

  constructor(database: string) {
    this.#path = `${database}-wal`
    this.#database = database
    this.#identity = formatIdentity(statSync(database))
  }

  /** Resolves when all commits before the call are durable. */
  async sync(): Promise<void> {
    // The log is opened late, because it does not exist before the first commit. Closing the file releases no lock of
    // SQLite's, since SQLite holds none on the log.
    await this.#checkFile()
    this.#file ??= open(this.#path, 'r+').catch((error: unknown) => {
      // The next commit opens it again, for example when files may be opened again.
      this.#file = undefined
      throw error
    })
    const file = await this.#file
    await file.datasync().catch((error: unknown) => {
      throw new UnsyncedError(systemCode(error) ?? messageOf(error), { cause: error })
    })
  }

  /** Fails if the database was deleted or replaced, because writes to a deleted file are lost. */
  async #checkFile(): Promise<void> {
    const stats = await stat(this.#database).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error
      return undefined
    })
    if (stats !== undefined && formatIdentity(stats) === this.#identity) return
    throw new PipelineError(
      'store',
      `the store in ${dirname(this.#database)} was ${stats === undefined ? 'deleted' : 'replaced'} while it was written to: what was answered since is not kept. Put it back if you can, then run the same command again: it asks what the store does not have.`,
    )
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined)
    await file?.close()
  }
}

const formatIdentity = ({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string => `${dev}:${ino}`
