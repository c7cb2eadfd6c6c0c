import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** The contents of a store, read without the code under test and while others write. */
export interface StoreLook {
  readonly items: number
  readonly responses: number
  readonly verdicts: number
  readonly finishedJudgements: number
}

const nothing: StoreLook = { items: 0, responses: 0, verdicts: 0, finishedJudgements: 0 }

export function lookInto(dir: string): StoreLook {
  const found = query(
    dir,
    `SELECT (SELECT count(*) FROM item) AS items, (SELECT count(*) FROM response) AS responses,
       (SELECT count(*) FROM verdict) AS verdicts,
       (SELECT count(*) FROM judgement WHERE finished IS NOT NULL) AS finishedJudgements`,
  )
  return (found[0] as StoreLook | undefined) ?? nothing
}

/** Returns the text of every committed answer, by the key of its request. */
export function committedAnswers(dir: string): ReadonlyMap<string, string> {
  const rows = query(
    dir,
    "SELECT hex(r.key) AS key, json_extract(s.body, '$.text') AS text FROM response s JOIN request r ON r.id = s.request",
  ) as { key: string; text: string }[]
  return new Map(rows.map(({ key, text }) => [key, text]))
}

/** Runs a query. Returns no rows while there is no database, or no tables in it. */
export function query(dir: string, sql: string): readonly unknown[] {
  const file = join(dir, 'store.sqlite')
  if (!existsSync(file)) return []
  try {
    const db = new Database(file, { readonly: true, timeout: 5_000 })
    try {
      return db.prepare(sql).all()
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof Database.SqliteError && /no such table|unable to open|not a database/.test(error.message))
      return []
    throw error
  }
}

/** Lists files below a folder of the store, including temporary ones. */
export function filesIn(dir: string, folder: string): readonly string[] {
  const path = join(dir, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => entry.name)
}
