import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import { migrations } from '../../../../cache/sqlite/connection/schema.js'
import { temporaryFolder } from '../../../support/store.js'
import { answerAll, askedRun, leaseAll, textsOf } from '../../../support/store-conformance/scene.js'
import { answer } from '../../../support/store.js'

/** Takes back the last two migrations, as if an older version of the program had made the store. */
function downgrade(dir: string): void {
  const db = new Database(join(dir, 'store.sqlite'))
  db.exec(
    'DROP INDEX job_waiting; ALTER TABLE owner DROP COLUMN answers; ALTER TABLE owner DROP COLUMN per_second; ALTER TABLE job DROP COLUMN stage',
  )
  db.pragma(`user_version = ${migrations.length - 2}`)
  db.close()
}

function setVersion(dir: string, version: number): void {
  const db = new Database(join(dir, 'store.sqlite'))
  db.pragma(`user_version = ${version}`)
  db.close()
}

function readVersion(dir: string): unknown {
  const db = new Database(join(dir, 'store.sqlite'), { readonly: true })
  try {
    return db.pragma('user_version', { simple: true })
  } finally {
    db.close()
  }
}

test('a store of an older format is read without being changed, and upgraded by the first write', async () => {
  const dir = await temporaryFolder()
  const store = await openStore(dir)
  const run = await askedRun(store, 2)
  await answerAll(store, run)
  await store.jobs.submit({ id: 'j', request: {}, group: 'g' })
  await store.close()
  downgrade(dir)
  const reader = await openStore(dir, { access: 'read' })
  expect(reader.readOnly).toBe(true)
  expect(await reader.runs.counts(run)).toMatchObject({ answered: 2 })
  expect(await textsOf(reader, run)).toHaveLength(2)
  expect(await reader.jobs.waiting()).toMatchObject([{ stage: 'input', jobs: 1 }])
  expect(await reader.runs.workers()).toEqual([])
  expect((await reader.upkeep.verify({ repair: false })).damaged).toEqual([])
  await reader.close()
  expect(readVersion(dir)).toBe(migrations.length - 2)
  await (await openStore(dir)).close()
  expect(readVersion(dir)).toBe(migrations.length)
})

test('a process stops writing when a newer version upgrades the store, and its paid answers wait in a file', async () => {
  const dir = await temporaryFolder()
  const store = await openStore(dir)
  onTestFinished(() => store.close().catch(() => undefined))
  const run = await askedRun(store, 2)
  const [lease] = await leaseAll(store, run)
  setVersion(dir, migrations.length + 1)
  await expect(answer(store, lease!, 'late')).rejects.toMatchObject({ reason: 'store-newer' })
  await store.close()
  setVersion(dir, migrations.length)
  const next = await openStore(dir)
  expect(await next.runs.counts(run)).toMatchObject({ answered: 1 })
  await next.close()
})
