import { spawn } from 'node:child_process'
import { once } from 'node:events'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Lease, Store } from '../../../cache/store.js'
import type { Run } from '../../../cache/records.js'
import { openSqliteStore } from '../../../cache/sqlite/connection/open-sqlite-store.js'
import { uptime } from '../../../cache/sqlite/connection/owners.js'
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
  await store.docs.commit(run, 0, [question(0)], true)
  const { leases } = await store.requests.lease(run, all)
  expect(leases).toHaveLength(1)
  return { dir, store, run, held: leases[0]! }
}

/** Gives the lease to another process, from the point of view of this store. */
function giveTo(dir: string, pid: number, { seen = uptime(), host }: { seen?: number; host?: string } = {}): void {
  const db = new Database(join(dir, 'store.sqlite'))
  const owner = db.prepare('SELECT * FROM owner').get() as { host: string; boot: string; start: string }
  const { lastInsertRowid } = db
    .prepare('INSERT INTO owner (host, boot, pid, start, seen) VALUES (?, ?, ?, ?, ?)')
    .run(host ?? owner.host, host === undefined ? owner.boot : 'another boot', pid, 'unknown', seen)
  db.prepare('UPDATE lease SET owner = ?').run(lastInsertRowid)
  db.close()
}

/** A store with a clock that the test moves, in which this process holds the only request. */
async function onClock() {
  const dir = await temporaryFolder()
  const clock = { now: 1_000_000 }
  const store = await openSqliteStore(dir, { access: 'write', now: () => 0, uptime: () => clock.now })
  onTestFinished(() => store.close())
  const run = await testRun(store)
  await store.docs.commit(run, 0, [question(0)], true)
  const { leases } = await store.requests.lease(run, all)
  return { dir, clock, store, run, held: leases[0]! }
}

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

test('a lease of a living process is not given to another', async () => {
  const { dir, store, run } = await heldRequest()
  giveTo(dir, process.ppid)
  const holder = { pid: process.ppid, isHere: true, items: 1 }
  expect(await store.requests.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1, holders: [holder] })
})

test('a living process that sent no heartbeat for a minute loses its leases', async () => {
  const { dir, clock, store, run, held } = await onClock()
  giveTo(dir, process.ppid, { seen: clock.now - 30_000 })
  clock.now += 29_000
  expect(await store.requests.lease(run, all)).toMatchObject({ elsewhere: 1, holders: [{ silentMs: 59_000 }] })
  clock.now += 1_000
  const { leases } = await store.requests.lease(run, all)
  expect(leases).toHaveLength(1)
  expect(await store.requests.holds([leases[0]!, held])).toEqual([true, false])
})

test('a process that opens the store right after a long lock lets those that it held back write a heartbeat first', async () => {
  const { dir, clock, store, run } = await onClock()
  giveTo(dir, process.ppid, { seen: clock.now - 300_000 })
  expect(await store.requests.lease(run, all)).toMatchObject({ elsewhere: 1, holders: [{ silentMs: 300_000 }] })
  clock.now += 15_000
  new Database(join(dir, 'store.sqlite'))
    .prepare('UPDATE owner SET seen = ? WHERE pid = ?')
    .run(clock.now, process.ppid)
  clock.now += 40_000
  expect(await store.requests.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1 })
})

test('a process that stays silent after a new one has opened the store loses its leases', async () => {
  const { dir, clock, store, run } = await onClock()
  giveTo(dir, process.ppid, { seen: clock.now - 300_000 })
  clock.now += 19_000
  expect(await store.requests.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1 })
  clock.now += 1_000
  expect((await store.requests.lease(run, all)).leases).toHaveLength(1)
})

test('a process that was itself paused waits before it takes over leases of others', async () => {
  const { dir, clock, store, run } = await onClock()
  giveTo(dir, process.ppid, { seen: clock.now })
  clock.now += 3_600_000
  expect(await store.requests.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1 })
  clock.now += 59_000
  expect(await store.requests.lease(run, all)).toMatchObject({ leases: [], elsewhere: 1 })
  clock.now += 1_000
  expect((await store.requests.lease(run, all)).leases).toHaveLength(1)
})

test('a process on another machine keeps its leases while it sends heartbeats, whatever its clock shows', async () => {
  const { dir, clock, store, run } = await onClock()
  giveTo(dir, 1, { host: 'elsewhere', seen: 5 })
  const look = async (ms: number) => {
    clock.now += ms
    return (await store.requests.lease(run, all)).leases.length
  }
  expect(await look(59_000)).toBe(0)
  new Database(join(dir, 'store.sqlite')).prepare("UPDATE owner SET seen = 6 WHERE host = 'elsewhere'").run()
  expect(await look(59_000)).toBe(0)
  expect(await look(59_000)).toBe(0)
  expect(await look(1_000)).toBe(1)
})

test('ignores a failure that arrives after the lease was taken over', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.requests.lease(run, all)
  await store.requests.commitFailure(held, { class: 'timeout', message: 'too late', attempts: 1 })
  expect(query(dir, 'SELECT count(*) AS n FROM failure')).toEqual([{ n: 0 }])
  expect(query(dir, 'SELECT token FROM lease')).toEqual([{ token: leases[0]!.token }])
})

test('stores an answer that arrives after its lease was taken over only if there is none yet', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.requests.lease(run, all)
  expect(await answer(store, held, 'late')).toBe(true)
  expect(await answer(store, leases[0]!, 'later')).toBe(false)
  expect([...committedAnswers(dir).values()]).toEqual(['late'])
})

test('a late release does not end the lease of the new owner', async () => {
  const { dir, store, run, held } = await heldRequest()
  giveTo(dir, await deadProcess())
  const { leases } = await store.requests.lease(run, all)
  await store.requests.release([held])
  expect(query(dir, 'SELECT token FROM lease')).toEqual([{ token: leases[0]!.token }])
})

test('shares an empty answer between runs, but no failure', async () => {
  const { dir, store, run, held } = await heldRequest()
  await store.requests.commitFailure(held, { class: 'timeout', message: 'no answer', attempts: 3 })
  expect(await store.runs.counts(run)).toMatchObject({ answered: 0, failed: { timeout: 1 } })
  expect(committedAnswers(dir).size).toBe(0)
  await store.close()
  const again = await openSqliteStore(dir, { access: 'write', now: () => 0 })
  // Another process would see its own number here; this one has already failed the request.
  new Database(join(dir, 'store.sqlite')).prepare('UPDATE failure SET owner = 0').run()
  const { leases } = await again.requests.lease(run, all)
  expect(leases).toHaveLength(1)
  await again.requests.commitResponse(leases[0]!, { text: '', finishReason: 'stop' }, meta)
  expect(await again.runs.counts(run)).toMatchObject({ answered: 1, failed: {}, pending: 0 })
  await again.close()
})
