/** Loads the rows of a list of up to millions in pages around the visible part, and caches recent pages. */
import type { SampleRows } from '../../../present/page/data/index.js'

/** The number of rows that one request loads by default. */
export const rowsPerPage = 100
/** About 5 MB of rows. */
const mostPages = 60
/** A person who drags the scroll bar passes hundreds of pages. Only those where the list rests this long are loaded. */
const restMs = 60

/** A part of a list, as a source returns it. */
export interface LoadedRows<Row> extends Pick<SampleRows, 'total' | 'prepared'> {
  readonly rows: readonly Row[]
}

type Load<Row> = (offset: number, limit: number, signal: AbortSignal) => Promise<LoadedRows<Row>>

interface RowPage<Row> {
  rows: readonly Row[] | undefined
  isFresh: boolean
  asking: AbortController | undefined
}

/** Caches the loaded pages of a list. */
export class RowPages<Row> {
  /** The number of rows in the list. Undefined until the first page is loaded. */
  total: number | undefined
  prepared: SampleRows['prepared'] | undefined
  error: string | undefined
  /** Counts changes, for components that draw rows. */
  version = 0
  /** In the order of use, the latest last. */
  readonly #pages = new Map<number, RowPage<Row>>()
  readonly #load: Load<Row>
  readonly #perPage: number
  readonly #changed: () => void
  #range: readonly [first: number, last: number] = [0, 0]
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(load: Load<Row>, changed: () => void, perPage = rowsPerPage) {
    this.#perPage = perPage
    this.#load = load
    this.#changed = changed
  }

  row(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / this.#perPage))?.rows?.[index % this.#perPage]
  }

  /** Loads the missing rows of a range, once scrolling rests. Requests for invisible rows are cancelled. */
  show(start: number, end: number): void {
    this.#range = [Math.floor(start / this.#perPage), Math.floor(Math.max(start, end - 1) / this.#perPage)]
    for (const [number, page] of this.#pages) {
      if (page.asking !== undefined && !this.#isInSight(number)) this.#cancel(number, page)
    }
    clearTimeout(this.#timer)
    if (this.total === undefined) this.#loadRange()
    else this.#timer = setTimeout(() => this.#loadRange(), restMs)
  }

  /** Reloads the visible rows, and later the rest. Old rows stay until newer ones are loaded. */
  refresh(): void {
    for (const page of this.#pages.values()) page.isFresh = false
    this.#loadRange()
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const page of this.#pages.values()) page.asking?.abort()
    this.#pages.clear()
  }

  #isInSight(number: number): boolean {
    return number >= this.#range[0] && number <= this.#range[1]
  }

  #cancel(number: number, page: RowPage<Row>): void {
    page.asking?.abort()
    page.asking = undefined
    if (page.rows === undefined) this.#pages.delete(number)
  }

  #loadRange(): void {
    for (let number = this.#range[0]; number <= this.#range[1]; number += 1) {
      const page = this.#pages.get(number) ?? { rows: undefined, isFresh: false, asking: undefined }
      this.#pages.delete(number)
      this.#pages.set(number, page)
      if (!page.isFresh && page.asking === undefined) void this.#fill(number, page)
    }
    for (const number of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) break
      if (!this.#isInSight(number)) this.#pages.delete(number)
    }
  }

  async #fill(number: number, page: RowPage<Row>): Promise<void> {
    const asking = new AbortController()
    page.asking = asking
    try {
      const answer = await this.#load(number * this.#perPage, this.#perPage, asking.signal)
      if (asking.signal.aborted) return
      page.rows = answer.rows
      page.isFresh = true
      this.total = answer.total
      this.prepared = answer.prepared
      this.error = undefined
    } catch (error) {
      if (asking.signal.aborted) return
      this.error = error instanceof Error ? error.message : String(error)
    }
    page.asking = undefined
    this.version += 1
    this.#changed()
  }
}
