import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { databaseName } from '../../../../cache/sqlite/connection/database.js'
import { inStore, line } from '../../../support/line.js'
import { question, temporaryFolder, testRun } from '../../../support/store.js'
import { type RowSum, createRowSum } from '../../../../cache/rows/sums.js'

let sum: RowSum
beforeAll(async () => {
  sum = await createRowSum()
})

/** A store with a judged run, and another run with a failed request. */
async function filledStore(): Promise<string> {
  const dir = await temporaryFolder()
  await inStore(dir, async store => {
    await line(store)
    const run = await testRun(store, ['failing'])
    await store.docs.commit(run, 0, [question(9)], true)
    const { leases } = await store.requests.lease(run, { after: 0, limit: 1, retryFailed: false })
    await store.requests.commitFailure(leases[0]!, { class: 'refused', message: 'no', attempts: 1 })
  })
  return dir
}

interface StoredBody {
  readonly request: number
  readonly key: string
  readonly meta: string
}

/** Stores another body with a matching checksum, so that only the digest reveals it. */
function replaceBody(db: Database.Database): void {
  const body = '{"finishReason":"stop","text":"another"}'
  const row = db
    .prepare<[], StoredBody>("SELECT request, 'sha256:' || lower(hex(digest)) AS key, meta FROM response WHERE seq = 1")
    .get()
  if (row === undefined) throw new Error('the store has no answer')
  db.prepare('UPDATE response SET body = ?, sum = ? WHERE seq = 1').run(body, sum(row.request, row.key, body, row.meta))
}

const change = (sql: string) => (db: Database.Database) => void db.exec(sql)

// Only one condition detects each case; without it, the store would count as intact.
test.each<[string, (db: Database.Database) => void, string]>([
  ['a run with another key', change('UPDATE run SET key = zeroblob(32) WHERE id = 1'), 'run'],
  ['a run with another name', change("UPDATE run SET name = 'other' WHERE id = 1"), 'run'],
  ['a run with other provenance', change(`UPDATE run SET provenance = '{}' WHERE id = 1`), 'run'],
  ['a run created at no number', change("UPDATE run SET created = 'then' WHERE id = 1"), 'run'],
  ['a run started at no number', change("UPDATE run SET started = 'then' WHERE id = 1"), 'run'],
  ['a run that lists miss', change('DELETE FROM run_list WHERE run = 1'), 'run_list'],
  ['a run that is listed under another name', change("UPDATE run_list SET words = 'other' WHERE run = 1"), 'run_list'],
  ['a run in a list that does not exist', change("INSERT INTO run_list VALUES (1, 99, 'other')"), 'run_list'],
  ['a judgement of no run', change('DELETE FROM run WHERE id = 1'), 'judgement'],
  ['a judgement by other rules', change("UPDATE judgement SET tasks = '[]'"), 'judgement'],
  ['a judgement that is open and has aggregates', change('UPDATE judgement SET finished = NULL'), 'judgement'],
  ['a text of an unknown kind', change("UPDATE preimage SET kind = 'other' WHERE id = 1"), 'preimage'],
  ['a text of another key', change("UPDATE preimage SET preimage = preimage || ' ' WHERE id = 1"), 'preimage'],
  ['a request for another sample', change('UPDATE request SET sample = 7 WHERE id = 1'), 'request'],
  ['an answer that is not that of its digest', replaceBody, 'response'],
  ['an answer with other metadata', change("UPDATE response SET meta = '{}' WHERE seq = 1"), 'response'],
  ['a score with another body', change("UPDATE score SET body = body || ' ' WHERE id = 1"), 'score'],
  ['a score with another outcome', change("UPDATE score SET outcome = 'error' WHERE id = 1"), 'score'],
  ['a score of other answers', change('UPDATE score SET answers = zeroblob(32) WHERE id = 1'), 'score'],
  ['an item of another doc', change("UPDATE item SET doc_id = 'other' WHERE id = 1"), 'item'],
  ['a failure of no item', change('DELETE FROM item WHERE run = 2'), 'failure'],
  ['a failure for another reason', change("UPDATE failure SET message = 'other'"), 'failure'],
])('reports %s as damaged', async (_what, damage, table) => {
  const dir = await filledStore()
  const db = new Database(join(dir, databaseName))
  db.pragma('foreign_keys = OFF')
  damage(db)
  db.close()
  const { damaged } = await inStore(dir, store => store.upkeep.verify({ repair: false }))
  expect(damaged.map(({ kind }) => kind)).toEqual([table])
})

test('a repair rebuilds the list of runs from the runs', async () => {
  const dir = await filledStore()
  const page = () => inStore(dir, store => store.runs.page({ limit: 9 }))
  const before = await page()
  const db = new Database(join(dir, databaseName))
  db.exec("DELETE FROM run_list WHERE run = 1; INSERT INTO run_list VALUES (1, 99, 'other')")
  db.close()
  expect(await page()).not.toEqual(before)
  expect(await inStore(dir, store => store.upkeep.verify({ repair: true }))).toMatchObject({ repaired: true })
  expect(await page()).toEqual(before)
})
