/** Holds the loaded rows of the list of runs. Rows change in place when runs change, and keep their order. */
import type { RunRow, RunsQuery } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'

/** The filter of the list of runs. */
export type RunFilter = Omit<RunsQuery, 'offset' | 'limit'>

const pageRows = 100
/** The number of rows to reload beyond the visible ones, because the list may have shifted. */
const spareRows = 50

/** Loads the rows of the list of runs page by page. */
export class RunRows {
  readonly rows = new Map<number, RunRow>()
  /** The number of rows when the list was opened. Undefined until the first rows are loaded. */
  total: number | undefined
  /** The number of runs that came since. */
  added = 0
  error: string | undefined
  readonly #source: Pick<Source, 'runs'>
  readonly #filter: RunFilter
  readonly #changed: () => void
  readonly #asked = new Set<number>()
  #range: readonly [start: number, end: number] = [0, pageRows]
  #isRefreshing = false
  #isOutdated = false
  #isClosed = false

  constructor(source: Pick<Source, 'runs'>, filter: RunFilter, changed: () => void) {
    this.#source = source
    this.#filter = filter
    this.#changed = changed
  }

  /** Loads the missing rows from `start` to `end` (exclusive). */
  async show(start: number, end: number): Promise<void> {
    this.#range = [start, end]
    const pages = []
    for (let page = Math.floor(start / pageRows); page * pageRows < Math.max(end, 1); page += 1)
      if (!this.#asked.has(page)) pages.push(this.#load(page))
    await Promise.all(pages)
  }

  /** Reloads the visible rows. Calls during a reload cause one more. */
  async refresh(): Promise<void> {
    this.#isOutdated = this.#isRefreshing
    if (this.#isRefreshing || this.total === undefined) return
    this.#isRefreshing = true
    const [start, end] = this.#range
    const rows = await this.#ask(start, end - start + spareRows)
    if (rows !== undefined) {
      const positions = new Map([...this.rows].map(([index, { id }]) => [id, index]))
      for (const row of rows) {
        const index = positions.get(row.id)
        if (index !== undefined) this.rows.set(index, row)
      }
      this.#changed()
    }
    this.#isRefreshing = false
    if (this.#isOutdated && !this.#isClosed) await this.refresh()
  }

  close(): void {
    this.#isClosed = true
  }

  async #load(page: number): Promise<void> {
    this.#asked.add(page)
    const rows = await this.#ask(page * pageRows, pageRows)
    if (rows === undefined) {
      this.#asked.delete(page)
      return
    }
    for (const [index, row] of rows.entries()) this.rows.set(page * pageRows + index, row)
    this.#changed()
  }

  async #ask(start: number, limit: number): Promise<readonly RunRow[] | undefined> {
    try {
      const { rows, total } = await this.#source.runs({ ...this.#filter, offset: start + this.#shift, limit })
      if (this.#isClosed) return undefined
      this.total ??= total
      this.added = Math.max(0, total - this.total)
      this.error = undefined
      return rows
    } catch (error) {
      if (this.#isClosed) return undefined
      this.error = error instanceof Error ? error.message : String(error)
      this.#changed()
      return undefined
    }
  }

  /** The number of new runs at the start of the list, if it is sorted by age. */
  get #shift(): number {
    return (this.#filter.sort ?? 'created') === 'created' ? this.added : 0
  }
}
