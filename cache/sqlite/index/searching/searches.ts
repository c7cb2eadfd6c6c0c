import { textTable, type TextRow } from '../building/build-texts.js'
import type { IndexHands } from '../building/index-threads.js'
import type { Places } from '../places.js'

/** A search in the texts of a run, with its hits so far. */
export interface Search {
  /** The numbers of places, in ascending order. */
  readonly hits: readonly Float64Array[]
  readonly isDone: boolean
  readonly failure?: string | undefined
}

interface OwnSearch extends Search {
  readonly hits: Float64Array[]
  isDone: boolean
  failure?: string | undefined
  readonly cancel: () => void
  readonly waiting: Set<() => void>
}

/** Searches that are kept, so that pages and sorts of one search are answered at once. */
const mostSearches = 6

/** Runs searches in a thread and keeps their results. */
export class Searches {
  readonly #hands: IndexHands
  readonly #file: string
  readonly #known = new Map<string, OwnSearch>()

  constructor(hands: IndexHands, file: string) {
    this.#hands = hands
    this.#file = file
  }

  /** Returns the hits of a search: all of them, or after `waitMs` the hits so far. */
  async find(text: TextRow, match: string, waitMs: number): Promise<Search> {
    const key = JSON.stringify([text.id, text.samples, text.response, text.failure, match])
    const search = this.#known.get(key) ?? this.#begin(textTable(text.id), match)
    this.#known.delete(key)
    this.#known.set(key, search)
    for (const [oldest, { cancel }] of this.#known) {
      if (this.#known.size <= mostSearches) break
      cancel()
      this.#known.delete(oldest)
    }
    if (!search.isDone)
      await new Promise<void>(resolve => {
        const end = (): void => {
          clearTimeout(timer)
          search.waiting.delete(end)
          resolve()
        }
        const timer = setTimeout(end, waitMs)
        search.waiting.add(end)
      })
    return search
  }

  forget(): void {
    for (const { cancel } of this.#known.values()) cancel()
    this.#known.clear()
  }

  #begin(table: string, match: string): OwnSearch {
    const waiting = new Set<() => void>()
    const hits: Float64Array[] = []
    const cancel = this.#hands.search(
      { file: this.#file, table, match },
      {
        hits: places => hits.push(places),
        done: failure => {
          ownSearch.isDone = true
          ownSearch.failure = failure
          for (const end of [...waiting]) end()
        },
      },
    )
    const ownSearch: OwnSearch = { hits, isDone: false, cancel, waiting }
    return ownSearch
  }
}

/** Converts the places of hits to positions. Places that the columns do not have yet are left out. */
export function convertHits(hits: readonly Float64Array[], places: Places): Int32Array {
  const positions = new Int32Array(hits.reduce((sum, { length }) => sum + length, 0))
  let count = 0
  // Most runs have every index of a task, so that the distance from the last hit tells the position.
  let lastHit = 0
  let lastPosition = -1
  for (const some of hits) {
    for (let at = 0; at < some.length; at += 1) {
      const hit = some[at] ?? 0
      const position = places.positionOf(hit, lastPosition + hit - lastHit)
      if (position === -1) continue
      lastHit = hit
      lastPosition = position
      positions[count] = position
      count += 1
    }
  }
  return positions.slice(0, count)
}
