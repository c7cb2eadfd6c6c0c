import { open, type FileHandle } from 'node:fs/promises'

/**
 * Makes what was committed durable, beside the event loop: SQLite itself would hold the loop up for as long as the disk takes. The
 * write-ahead log is where a commit is until a checkpoint, which syncs for itself.
 */
export class LogSync {
  readonly #path: string
  #file: Promise<FileHandle> | undefined

  constructor(database: string) {
    this.#path = `${database}-wal`
  }

  /** All commits before the call are durable when it resolves. */
  async sync(): Promise<void> {
    // Opened when there is something to sync: before the first commit the log need not be there. Closing it drops no lock of
    // SQLite's, which holds none on the log.
    const file = await (this.#file ??= open(this.#path, 'r+'))
    await file.datasync()
  }

  async close(): Promise<void> {
    const file = await this.#file?.catch(() => undefined)
    await file?.close()
  }
}
