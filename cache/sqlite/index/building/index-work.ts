import createXxhash from 'xxhash-wasm'
import Database from 'better-sqlite3'
import { systemCode } from '../../../../base/errors/errors.js'
import type { SqliteDatabase } from '../../connection/database.js'
import { readRunStamp, type IndexSource } from '../source/index-source.js'
import { buildColumns, type BuildDatabases, type BuildRow } from './build-columns.js'
import { targetName, type BuildTarget } from './build-target.js'
import { buildTexts, textTable } from './build-texts.js'
import { discardIndex, isDamage, openIndexFile } from './index-file.js'
import { createRowSum } from '../../../rows/sums.js'

/** The files and stores that the index works with. */
export interface IndexLocation {
  /** Opens the source that reads the store. */
  readonly openSource: () => IndexSource | Promise<IndexSource>
  /** The index's file. */
  readonly file: string
}

/** Hears that something was read or committed, or why the index cannot be built. */
export type Moved = (failure?: string) => void

/** Makes the hash of pieces, which tells a damaged index. */
export async function createPieceHash(): Promise<BuildDatabases['hash']> {
  const xxhash = await createXxhash()
  return bytes => xxhash.h64Raw(bytes).toString(16)
}

/** A stale run is read again at most this often, and at most for a tenth of the time. */
const leastRestMs = 2_000
const restByDuration = 10
/** The time to wait for another viewer's work before its progress is read again. */
const otherViewerMs = 500

/** Builds the index of runs, one after the other, with its own connections. Columns are built before texts, and the last requested run first. */
export class IndexWork {
  readonly #location: IndexLocation
  readonly #moved: Moved
  readonly #targets = new Map<string, BuildTarget>()
  readonly #restUntil = new Map<string, number>()
  readonly #again = new Map<string, NodeJS.Timeout>()
  #store: IndexSource | undefined
  #databases: BuildDatabases | undefined
  #lock: SqliteDatabase | undefined
  #working: Promise<void> | undefined
  #isClosed = false

  constructor(location: IndexLocation, moved: Moved) {
    this.#location = location
    this.#moved = moved
  }

  /** Builds the missing parts of a run's index. */
  prepare(target: BuildTarget): void {
    if (this.#isClosed) return
    const name = targetName(target)
    this.#targets.delete(name)
    this.#targets.set(name, target)
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        this.#targets.clear()
        this.#moved(error instanceof Error ? error.message : String(error))
      })
      .finally(() => (this.#working = undefined))
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    await this.#working
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#again.values()) clearTimeout(timer)
    await this.#working
    await this.#letGo()
  }

  async #work(): Promise<void> {
    try {
      while (this.#targets.size > 0 && !this.#isClosed) {
        if (!this.#isMine()) {
          this.#moved()
          await new Promise(resolve => setTimeout(resolve, otherViewerMs))
          continue
        }
        const databases = (this.#databases ??= await this.#open())
        try {
          await this.#buildAll(databases)
        } catch (error) {
          if (!isDamage(error)) throw error
          this.#discard()
        }
      }
    } finally {
      this.#lock?.close()
      this.#lock = undefined
    }
  }

  async #buildAll(databases: BuildDatabases): Promise<void> {
    for (;;) {
      const target = await this.#withoutColumns(databases)
      if (target === undefined) break
      const startedAt = performance.now()
      if (!(await this.#run(buildColumns(databases, target), () => false))) return
      const now = performance.now()
      this.#restUntil.set(targetName(target), now + Math.max(leastRestMs, restByDuration * (now - startedAt)))
      this.#moved()
    }
    const last = [...this.#targets].at(-1)
    if (last === undefined || this.#isClosed) return
    const [name, target] = last
    const isDone = await this.#run(
      buildTexts(databases, target),
      async () => [...this.#targets.keys()].at(-1) !== name || (await this.#withoutColumns(databases)) !== undefined,
    )
    if (isDone && this.#targets.get(name) === target) await this.#finish(databases, name, target)
    this.#moved()
  }

  /** A run that changed meanwhile is read again after its rest. */
  async #finish({ store, index }: BuildDatabases, name: string, target: BuildTarget): Promise<void> {
    this.#targets.delete(name)
    if (this.#again.has(name) || finishedBuild(index, target)?.stamp === (await readRunStamp(store, target))) return
    const wait = Math.max(0, (this.#restUntil.get(name) ?? 0) - performance.now())
    const timer = setTimeout(() => {
      this.#again.delete(name)
      this.prepare(target)
    }, wait).unref()
    this.#again.set(name, timer)
  }

  /** @returns false if it was interrupted */
  async #run(steps: AsyncGenerator<boolean>, isInterrupted: () => boolean | Promise<boolean>): Promise<boolean> {
    for (;;) {
      const step = await steps.next()
      if (step.done === true) return true
      const isCommitted = step.value
      this.#moved()
      await new Promise(setImmediate)
      if (!this.#isClosed && !(isCommitted && (await isInterrupted()))) continue
      await steps.return(false)
      return false
    }
  }

  /** Finds the last requested run with missing or stale columns. */
  async #withoutColumns({ store, index }: BuildDatabases): Promise<BuildTarget | undefined> {
    for (const target of [...this.#targets.values()].reverse()) {
      if (this.#isClosed) return undefined
      const built = finishedBuild(index, target)
      if (built === undefined) return target
      const isResting = (this.#restUntil.get(targetName(target)) ?? 0) > performance.now()
      if (!isResting && built.stamp !== (await readRunStamp(store, target))) return target
    }
    return undefined
  }

  /** Only one viewer builds. The lock of a file ends with its process. */
  #isMine(): boolean {
    if (this.#lock !== undefined) return true
    const lock = new Database(`${this.#location.file}.lock`, { timeout: 0 })
    try {
      lock.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      lock.close()
      if (/^SQLITE_BUSY/.test(systemCode(error) ?? '')) return false
      throw error
    }
    this.#lock = lock
    return true
  }

  async #open(): Promise<BuildDatabases> {
    const [sum, hash] = await Promise.all([createRowSum(), createPieceHash()])
    const store = (this.#store ??= await this.#location.openSource())
    const index = openIndexFile(this.#location.file)
    forgetRemovedRuns(index, new Set(await store.listRunNames()))
    return { store, index, sum, hash }
  }

  #discard(): void {
    this.#databases?.index.close()
    this.#databases = undefined
    discardIndex(this.#location.file)
  }

  async #letGo(): Promise<void> {
    this.#databases?.index.close()
    this.#databases = undefined
    await this.#store?.close()
    this.#store = undefined
  }
}

const finishedBuild = (index: SqliteDatabase, target: BuildTarget): BuildRow | undefined =>
  index.prepare<unknown[], BuildRow>('SELECT * FROM build WHERE target = ? AND finished = 1').get(targetName(target))

/** Removes the index of runs that are no longer in the store. */
function forgetRemovedRuns(index: SqliteDatabase, keptRuns: ReadonlySet<string>): void {
  const isGone = (target: string): boolean => !keptRuns.has(target.split(' ').slice(0, 3).join(' '))
  index.transaction(() => {
    for (const { id, target } of index
      .prepare<[], { id: number; target: string }>('SELECT id, target FROM build')
      .all())
      if (isGone(target)) index.prepare('DELETE FROM build WHERE id = ?').run(id)
    for (const { id, target } of index
      .prepare<[], { id: number; target: string }>('SELECT id, target FROM text')
      .all()) {
      if (!isGone(target)) continue
      index.exec(`DROP TABLE ${textTable(id)}`)
      index.prepare('DELETE FROM text WHERE id = ?').run(id)
    }
  })()
}
