import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Measures how fast a store's answers arrived, from the times stored with them: from the start of the first request to the end of the last. */
export function answerTimes(store: string): { readonly answers: number; readonly rate: number } {
  const db = new Database(join(store, 'store.sqlite'), { readonly: true })
  const rows = db.prepare<[], { meta: string }>('SELECT meta FROM response').all()
  db.close()
  const times = rows.map(({ meta }) => JSON.parse(meta) as { answeredAt: number; durationMs: number })
  const from = Math.min(...times.map(({ answeredAt, durationMs }) => answeredAt - durationMs))
  const to = Math.max(...times.map(({ answeredAt }) => answeredAt))
  return { answers: rows.length, rate: (1000 * rows.length) / (to - from) }
}
