import { stat } from 'node:fs/promises'
import { PipelineError, systemCode } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { FileIdentity } from '../../../../cache/digest.js'
import { type FileDigests, identityAsBefore } from './file-identities.js'

/** The state of a file, which any write changes. A program can set `modified` back, but not `changed`. */
interface FileState {
  readonly size: bigint
  readonly modified: bigint
  readonly changed: bigint
  readonly inode: bigint
}

/**
 * Verifies that the data files of a dataset do not change while they are read. Rows of a file that is overwritten
 * meanwhile would mix old and new content.
 */
export class WatchedFiles {
  readonly #opened = new Map<string, FileState>()
  /** Number of present readers of each file. */
  readonly #reading = new Map<string, number>()
  #expected: ReadonlyMap<string, { readonly before: FileIdentity; readonly files: number }> = new Map()

  /** Records the state of a file before it is read. */
  async open(path: string): Promise<void> {
    if (!this.#opened.has(path)) this.#opened.set(path, await readFileState(path))
  }

  /**
   * Yields rows of a file, and verifies the file when they end, fail or are abandoned.
   *
   * @throws PipelineError if it changed; other errors of such a file are its cause.
   */
  async *read<Row>(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    this.#reading.set(path, (this.#reading.get(path) ?? 0) + 1)
    try {
      yield* rows
    } finally {
      const readerCount = (this.#reading.get(path) ?? 1) - 1
      if (readerCount > 0) this.#reading.set(path, readerCount)
      else this.#reading.delete(path)
      await this.#verify(path)
    }
  }

  /**
   * Verifies the files that are being read. Call it before their rows count.
   *
   * @throws PipelineError
   */
  async check(): Promise<void> {
    for (const path of this.#reading.keys()) await this.#verify(path)
  }

  /**
   * Verifies now and at each later read that files are unchanged since the plan of the run.
   *
   * @param identities by path
   * @param options.files the number of files of the dataset
   * @throws PipelineError if one has changed.
   */
  async expect(
    identities: ReadonlyMap<string, FileIdentity>,
    { files, digests }: { readonly files: number; readonly digests: FileDigests },
  ): Promise<void> {
    this.#expected = new Map([...identities].map(([path, before]) => [path, { before, files }]))
    for (const [path, before] of identities) {
      await this.open(path)
      await this.#verify(path)
      const now = before.startsWith('sha256:')
        ? await digests.digest(path)
        : await identityAsBefore(path, { before, files })
      if (now === before) continue
      throw new PipelineError(
        'dataset',
        `${shownPath(path)} is not the file that this run was planned with: it changed since then. ${cure}`,
      )
    }
  }

  async #verify(path: string): Promise<void> {
    const before = this.#opened.get(path)
    if (before === undefined) return
    const now = await readFileState(path).catch((error: unknown) => {
      if (systemCode(error) === undefined) throw error
      throw new PipelineError('dataset', `${shownPath(path)} was removed while its docs were read. ${cure}`, {
        cause: error,
      })
    })
    if (keys.every(key => before[key] === now[key])) return
    const expected = this.#expected.get(path)
    const isSame =
      expected === undefined
        ? before.size === now.size && before.modified === now.modified
        : (await identityAsBefore(path, expected)) === expected.before
    if (!isSame) throw new PipelineError('dataset', `${shownPath(path)} ${difference(before, now)}. ${cure}`)
    this.#opened.set(path, now)
  }
}

const keys = ['size', 'modified', 'changed', 'inode'] as const

const cure =
  'Docs read before that stay as they are. Run the command again once nobody writes the file: its new content is a run of its own, which takes from the store what was answered'

async function readFileState(path: string): Promise<FileState> {
  const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true })
  return { size, modified: mtimeNs, changed: ctimeNs, inode: ino }
}

function difference(before: FileState, now: FileState): string {
  const bytes = (count: bigint): string => count.toLocaleString('en')
  const what =
    before.size === now.size
      ? `its ${bytes(now.size)} bytes were written again`
      : `it had ${bytes(before.size)} bytes and has ${bytes(now.size)}`
  return `changed while its docs were read: ${what}`
}
