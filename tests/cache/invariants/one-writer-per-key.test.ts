import { spawn } from 'node:child_process'
import { once } from 'node:events'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lease, Store } from '../../../cache/store.js'
import type { Run } from '../../../cache/records.js'
import { openSqliteStore } from '../../../cache/sqlite/open-sqlite-store.js'
import { committedAnswers, query } from '../../support/store-look.js'
import { answer, question, temporaryFolder, temporaryStore, testRun } from '../../support/store.js'

const all = { after: 0, limit: 100, retryFailed: false }
const meta = { durationMs: 1, attempts: 1, answeredAt: 0 }

interface Shared {
  readonly dir: string
  readonly store: Store
  readonly run: Run
  readonly held: Lease
}

/** A store in which this process holds the only request. */
async function heldRequest(): Promise<Shared> {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await testRun(store)
  await store.commitDocs(run, 0, [question(0)], true)
  const { leases } = await store.lease(run, all)
  expect(leases).toHaveLength(1)
  return { dir, store, run, held: leases[0]! }
}

/** Lets the lease be another process's, as this one's store sees it. */
function giveTo(dir: string, pid: number, host?: { name: string; seen: number }): void {
  const db = new Database(join(dir, 'store.sqlite'))
  const owner = db.prepare('SELECT * FROM owner').get() as { host: string; boot: string; start: string }
  const { lastInsertRowid } = db
    .prepare('INSERT INTO owner (host, boot, pid, start, seen) VALUES (?, ?, ?, ?, ?)')
    .run(host?.name ?? owner.host, owner.boot, pid, 'unknown', host?.seen ?? 0)
  db.prepare('UPDATE lease SET owner = ?').run(lastInsertRowid)
  db.close()
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

test('what a living process has leased is not given to another', async () => {
  const { dir, store, run } = await heldRequest()
  giveTo(dir, process.ppid)
  expect(await store.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1 })
})

test('what a dead process had leased is taken over at once, under a token of its own', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.lease(run, all)
  expect(leases).toHaveLength(1)
  expect(leases[0]!.token).toBeGreaterThan(held.token)
})

test('a process on another host keeps its leases as long as it is heard of', async () => {
  const dir = await temporaryFolder()
  let now = 1_000_000
  const store = await openSqliteStore(dir, { access: 'write', now: () => now })
  const run = await testRun(store)
  await store.commitDocs(run, 0, [question(0)], true)
  await store.lease(run, all)
  giveTo(dir, 1, { name: 'elsewhere', seen: now })
  now += 59_000
  expect(await store.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1 })
  now += 2_000
  expect((await store.lease(run, all)).leases).toHaveLength(1)
  await store.close()
})

test('a failure that comes after the lease was taken over is ignored', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.lease(run, all)
  await store.commitFailure(held, { class: 'timeout', message: 'too late', attempts: 1 })
  expect(query(dir, 'SELECT count(*) AS n FROM failure')).toEqual([{ n: 0 }])
  expect(query(dir, 'SELECT token FROM lease')).toEqual([{ token: leases[0]!.token }])
})

test('an answer that comes after the lease was taken over is kept if it is the first, and changes no other', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.lease(run, all)
  expect(await answer(store, held, 'late')).toBe(true)
  expect(await answer(store, leases[0]!, 'later')).toBe(false)
  expect([...committedAnswers(dir).values()]).toEqual(['late'])
})

test('leases that are given back late take nothing from the one who holds them now', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.lease(run, all)
  await store.release([held])
  expect(query(dir, 'SELECT token FROM lease')).toEqual([{ token: leases[0]!.token }])
})

test('an empty answer is an answer to all who ask, and a failure is an answer to nobody', async () => {
  const { dir, store, run, held } = await heldRequest()
  await store.commitFailure(held, { class: 'timeout', message: 'no answer', attempts: 3 })
  expect(await store.counts(run)).toMatchObject({ answered: 0, failed: { timeout: 1 } })
  expect(committedAnswers(dir).size).toBe(0)
  await store.close()
  const again = await openSqliteStore(dir, { access: 'write', now: () => 0 })
  // Another process would see its own number here; this one has failed at it already.
  new Database(join(dir, 'store.sqlite')).prepare('UPDATE failure SET owner = 0').run()
  const { leases } = await again.lease(run, all)
  expect(leases).toHaveLength(1)
  await again.commitResponse(leases[0]!, { text: '', finishReason: 'stop' }, meta)
  expect(await again.counts(run)).toMatchObject({ answered: 1, failed: {}, pending: 0 })
  await again.close()
})
