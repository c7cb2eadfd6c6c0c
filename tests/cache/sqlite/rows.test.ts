import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { sha256 } from '../../../cache/digest.js'
import { databaseName } from '../../../cache/sqlite/connection/database.js'
import { inStore } from '../../support/line.js'
import { question, temporaryFolder, testRun } from '../../support/store.js'

/** Reads two docs of a run, but not all, and then changes the database with `sql`. */
async function readInPart(sql: string): Promise<string> {
  const dir = await temporaryFolder()
  const files = [{ path: '/pictures/0.png', digest: sha256<'media'>('0') }]
  await inStore(dir, async store =>
    store.docs.commit(await testRun(store), 0, [{ ...question(0), files }, question(1)], false),
  )
  const db = new Database(join(dir, databaseName))
  db.exec(sql)
  db.close()
  return dir
}

const found = (dir: string) =>
  inStore(dir, async store => {
    const run = await testRun(store)
    const progress = await store.docs.progress(run, 0).catch(String)
    const { damaged } = await store.upkeep.verify({ repair: false })
    const repaired = (await store.upkeep.verify({ repair: true })).damaged
    expect(repaired).toEqual(damaged)
    return {
      damaged: damaged.map(({ kind }) => kind),
      progress,
      isFinished: (await store.runs.counts(run)).inputFinished,
      after: await store.docs.progress(run, 0),
      left: (await store.upkeep.verify({ repair: false })).damaged,
    }
  })

test('does not take a partly read dataset for a finished one', async () => {
  expect(await found(await readInPart('UPDATE input_progress SET finished = 1'))).toEqual({
    damaged: ['input_progress'],
    progress: expect.stringContaining('damaged record: input_progress') as string,
    isFinished: false,
    after: { docs: 0, finished: false },
    left: [],
  })
})

test('reports a wrong digest of a file, and reads its docs again', async () => {
  expect(await found(await readInPart('UPDATE run_file SET digest = zeroblob(32)'))).toEqual({
    damaged: ['run_file'],
    progress: { docs: 2, finished: false },
    isFinished: false,
    after: { docs: 0, finished: false },
    left: [],
  })
})

test('accepts rows of an older version, which have no checksum', async () => {
  expect(await found(await readInPart('UPDATE input_progress SET sum = NULL; UPDATE run_file SET sum = NULL'))).toEqual(
    {
      damaged: [],
      progress: { docs: 2, finished: false },
      isFinished: false,
      after: { docs: 2, finished: false },
      left: [],
    },
  )
})

test('adds checksums to a store of an older format, and keeps its rows', async () => {
  const dir = await readInPart(
    `DROP TRIGGER run_added; DROP TRIGGER run_changed; DROP TRIGGER run_removed; DROP VIEW listed_run; DROP TABLE run_list;
     DROP TABLE label; DROP TABLE run_tag; DROP INDEX item_record; DROP INDEX revision_record;
     DROP INDEX run_name; DROP INDEX run_started; DROP TABLE job_event; DROP TABLE job; DROP TABLE job_count; DROP TABLE token;
     ALTER TABLE owner DROP COLUMN answers; ALTER TABLE owner DROP COLUMN per_second;
     ALTER TABLE input_progress DROP COLUMN sum; ALTER TABLE run_file DROP COLUMN sum; PRAGMA user_version = 3`,
  )
  expect(await found(dir)).toMatchObject({ damaged: [], after: { docs: 2, finished: false } })
})
