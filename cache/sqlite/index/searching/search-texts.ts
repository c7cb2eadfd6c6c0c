import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'

/** A search for a text in the samples of a run. */
export interface TextSearch {
  readonly file: string
  readonly table: string
  readonly match: string
}

/** Hits that are handed over at once. */
const atOnce = 50_000

/** Searches the texts of a run, and reports the place numbers of hits in ascending order, in parts. */
export async function searchTexts(
  { file, table, match }: TextSearch,
  take: (hits: Float64Array) => void,
  isCancelled: () => boolean,
): Promise<void> {
  // A statement that is not read to its end blocks its connection, so each search has its own.
  const db = new Database(file, { readonly: true, timeout: 10_000 })
  try {
    db.pragma('cache_size = -16000')
    let hits = new Float64Array(atOnce)
    let count = 0
    const statement = db.prepare<unknown[], number>(`SELECT rowid FROM ${table} WHERE ${table} MATCH ?`).pluck()
    for (const number of statement.iterate(match)) {
      hits[count] = number
      count += 1
      if (count < atOnce) continue
      take(hits)
      hits = new Float64Array(atOnce)
      count = 0
      await setImmediate()
      if (isCancelled()) return
    }
    take(hits.slice(0, count))
  } finally {
    db.close()
  }
}
