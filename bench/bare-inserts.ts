import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Measures the seconds to insert `rows` short rows with a text key, `batch` per transaction, with the store's durability. */
export function timeBareInserts(folder: string, rows: number, batch = 256): number {
  const db = new Database(join(folder, 'bare.sqlite'))
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, body TEXT NOT NULL)')
  const insert = db.prepare('INSERT INTO row (key, body) VALUES (?, ?)')
  const insertMany = db.transaction((from: number) => {
    for (let row = from; row < Math.min(rows, from + batch); row += 1) insert.run(`key ${row}`, 'x'.repeat(100))
  })
  const startedAt = performance.now()
  for (let from = 0; from < rows; from += batch) insertMany(from)
  const spent = (performance.now() - startedAt) / 1000
  db.close()
  return spent
}
