import { open, stat, type FileHandle } from 'node:fs/promises'
import { statSync, type Stats } from 'node:fs'
import { dirname } from 'node:path'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'

/**
 * Makes what was committed durable, beside the event loop: SQLite itself would hold the loop up for as long as the disk takes. The
 * write-ahead log is where a commit is until a checkpoint, which syncs for itself.
 */
export class LogSync {
  readonly #path: string
  readonly #database: string
  readonly #identity: string
  #file: Promise<FileHandle> | undefined

  constructor(database: string) {
    this.#path = `${database}-wal`
    this.#database = database
    this.#identity = identityOf(statSync(database))
  }

  /** All commits before the call are durable when it resolves. */
  async sync(): Promise<void> {
    // Opened when there is something to sync: before the first commit the log need not be there. Closing it drops no lock of
    // SQLite's, which holds none on the log.
    await this.#checkPlace()
    const file = await (this.#file ??= open(this.#path, 'r+'))
    await file.datasync()
  }

  /** A file that was deleted takes all that is written to it, and nobody will find it. */
  async #checkPlace(): Promise<void> {
    const found = await stat(this.#database).catch((error: unknown) => {
      if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error
      return undefined
    })
    if (found !== undefined && identityOf(found) === this.#identity) return
    throw new PipelineError(
      'store',
      `the store in ${dirname(this.#database)} was ${found === undefined ? 'deleted' : 'replaced'} while it was written to: what was answered since is not kept. Put it back if you can, then start the same line again: it asks what the store does not have.`,
    )
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined)
    await file?.close()
  }
}

const identityOf = ({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string => `${dev}:${ino}`
