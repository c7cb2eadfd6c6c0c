import { stat } from 'node:fs/promises'
import { PipelineError, systemCode } from '../../../../base/errors.js'
import { shownPath } from '../../../../base/shown-path.js'
import type { FileIdentity } from '../../../../cache/digest.js'
import { type FileDigests, identityAsBefore } from './file-identities.js'

/** Any write changes one of these: a program may set `modified` back, but not `changed`. */
interface FileState {
  readonly size: bigint
  readonly modified: bigint
  readonly changed: bigint
  readonly inode: bigint
}

/**
 * Holds the data files of one dataset to what they were when they were opened. Rows of a file that was overwritten meanwhile
 * are some of the old and some of the new content, and belong to neither.
 */
export class WatchedFiles {
  readonly #opened = new Map<string, FileState>()
  /** How often each file is being read right now. */
  readonly #reading = new Map<string, number>()
  #expected: ReadonlyMap<string, { readonly before: FileIdentity; readonly files: number }> = new Map()

  /** Remembers what a file is like, before anything of it is read. */
  async open(path: string): Promise<void> {
    if (!this.#opened.has(path)) this.#opened.set(path, await stateOf(path))
  }

  /**
   * Rows of a file. When they end, whether by themselves, by an error or since nobody asks for more, the file is held to what it was.
   *
   * @throws PipelineError where it changed; what else went wrong with such a file is its cause.
   */
  async *read<Row>(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    this.#reading.set(path, (this.#reading.get(path) ?? 0) + 1)
    try {
      yield* rows
    } finally {
      const left = (this.#reading.get(path) ?? 1) - 1
      if (left > 0) this.#reading.set(path, left)
      else this.#reading.delete(path)
      await this.#verify(path)
    }
  }

  /** Verifies the files that are being read. To be called before what was read of them counts. @throws PipelineError */
  async check(): Promise<void> {
    for (const path of this.#reading.keys()) await this.#verify(path)
  }

  /**
   * Says what files were known by when the run was planned, and holds them to it from now on.
   *
   * @param identities by path
   * @param options.files how many files the dataset has
   * @throws PipelineError where one is not that any more.
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
    const now = await stateOf(path).catch((error: unknown) => {
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

async function stateOf(path: string): Promise<FileState> {
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
