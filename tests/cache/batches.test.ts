import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ProviderBatch } from '../../cache/batches.js'
import type { Run } from '../../cache/records.js'
import { databaseName } from '../../cache/sqlite/connection/database.js'
import type { Lease, Store } from '../../cache/store.js'
import { answer, question, temporaryFolder, temporaryStore, testRun } from '../support/store.js'

const all = { after: 0, limit: 100, retryFailed: false }
const page = { after: 0, limit: 100 }

async function runOf(store: Store, docs: number, name = 't'): Promise<Run> {
  const run = await testRun(store, [name])
  await store.docs.commit(
    run,
    0,
    Array.from({ length: docs }, (_, index) => question(index)),
    true,
  )
  return run
}

async function batchOf(store: Store, run: Run, docs: number, name = 'a'.repeat(12)): Promise<ProviderBatch> {
  const { leases } = await store.requests.lease(run, { ...all, limit: docs })
  return store.batches.add(await store.batches.begin(name, 'openai https://x'), leases)
}

const texts = (leases: readonly Lease[]): unknown[] => leases.map(({ input }) => input.messages[0]?.content[0])

test('no run can lease a request that is in an open batch', async () => {
  const store = await temporaryStore()
  const run = await runOf(store, 3)
  const batch = await batchOf(store, run, 2)
  expect(batch).toMatchObject({ state: 'filling', requests: 2, open: 2 })
  const rest = await store.requests.lease(run, all)
  expect(rest).toMatchObject({ exhausted: true, elsewhere: 0 })
  expect(texts(rest.leases)).toEqual([{ type: 'text', text: 'question 2' }])
  const other = await runOf(store, 3, 'other')
  expect((await store.requests.lease(other, all)).leases).toEqual([])
})

test('the next process finds a batch with its progress', async () => {
  const dir = await temporaryFolder()
  const first = await temporaryStore(dir)
  const run = await runOf(first, 2)
  let batch = await batchOf(first, run, 2)
  batch = await first.batches.advance(batch, { state: 'creating', creatingAt: 5, upload: 'file-1' })
  await first.batches.advance(batch, { state: 'submitted', id: 'batch_1' })
  await first.close()
  const store = await temporaryStore(dir)
  const [found] = await store.batches.open(run)
  expect(found).toMatchObject({
    name: 'a'.repeat(12),
    address: 'openai https://x',
    state: 'submitted',
    creatingAt: 5,
    upload: 'file-1',
    id: 'batch_1',
    requests: 2,
    open: 2,
  })
  expect(await store.batches.adopt(found!)).toMatchObject({ id: 'batch_1' })
  expect(texts(await store.batches.requests(found!, run, page))).toHaveLength(2)
})

test('finds requests by the beginnings of their keys, and stores their answers without a lease', async () => {
  const store = await temporaryStore()
  const run = await runOf(store, 2)
  const batch = await batchOf(store, run, 2)
  const [first, second] = await store.batches.requests(batch, run, page)
  const prefix = first!.key.slice(7, 7 + 48)
  const found = await store.batches.find(batch, run, [prefix, 'f'.repeat(48)])
  expect([...found.keys()]).toEqual([prefix])
  expect(found.get(prefix)).toEqual(first)
  await answer(store, found.get(prefix)!, 'yes')
  expect(await store.runs.counts(run)).toMatchObject({ answered: 1, pending: 1 })
  expect(await store.batches.requests(batch, run, page)).toEqual([second])
  expect((await store.batches.find(batch, run, [prefix])).size).toBe(0)
})

test('the next process may send a failed request again, but not this one', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await runOf(store, 1)
  const batch = await batchOf(store, run, 1)
  const [held] = await store.batches.requests(batch, run, page)
  const failure = { class: 'timeout', message: 'expired', attempts: 1 } as const
  await store.requests.commitFailure(held!, failure)
  await store.requests.commitFailure(held!, failure)
  expect(await store.requests.failures(run)).toHaveLength(1)
  expect(await store.batches.open(run)).toEqual([])
  expect((await store.requests.lease(run, all)).leases).toEqual([])
  const db = new Database(join(dir, databaseName))
  db.prepare('UPDATE failure SET owner = 999').run()
  db.close()
  expect((await store.requests.lease(run, all)).leases).toHaveLength(1)
})

test('requests left in a closed batch may be sent again', async () => {
  const store = await temporaryStore()
  const run = await runOf(store, 2)
  const batch = await batchOf(store, run, 2)
  await store.batches.close(batch)
  expect(await store.batches.open()).toEqual([])
  expect((await store.requests.lease(run, all)).leases).toHaveLength(2)
})

test('a request that cannot be sent leaves its batch with a failure', async () => {
  const store = await temporaryStore()
  const run = await runOf(store, 2)
  const batch = await batchOf(store, run, 2)
  const [held] = await store.batches.requests(batch, run, page)
  const failure = { class: 'media', message: 'damaged', attempts: 1 } as const
  expect(await store.batches.reject(batch, held!, failure)).toMatchObject({ requests: 1, open: 1 })
  expect(await store.requests.failures(run)).toMatchObject([{ failure }])
})

test('does not take over a batch of a living process', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await runOf(store, 1)
  const batch = await batchOf(store, run, 1)
  const db = new Database(join(dir, databaseName))
  const owner = (start: string): unknown =>
    db
      .prepare(
        `INSERT INTO owner (host, boot, pid, start, seen) SELECT host, boot, pid, ?, seen FROM owner LIMIT 1 RETURNING id`,
      )
      .pluck()
      .get(start)
  db.prepare('UPDATE batch SET owner = ?').run(owner('unknown'))
  expect(await store.batches.adopt(batch)).toBeUndefined()
  await expect(store.batches.advance(batch, { state: 'ready' })).rejects.toThrow('taken over by another process')
  db.prepare('UPDATE batch SET owner = ?').run(owner('1'))
  expect(await store.batches.adopt(batch)).toMatchObject({ ref: batch.ref })
  db.close()
})

test('keeps answers of a batch whose run was removed', async () => {
  const store = await temporaryStore()
  const run = await runOf(store, 1)
  const batch = await batchOf(store, run, 1)
  await store.runs.remove(run)
  const again = await runOf(store, 1)
  expect(await store.batches.open(again)).toHaveLength(1)
  await store.runs.remove(again)
  const [held] = await store.batches.requests(batch, again, page)
  await answer(store, held!, 'yes')
  expect(await store.runs.counts(await runOf(store, 1))).toMatchObject({ answered: 1 })
})

test('drops a failure whose run was removed, and still closes its batch', async () => {
  const store = await temporaryStore()
  const run = await runOf(store, 1)
  const batch = await batchOf(store, run, 1)
  await store.runs.remove(run)
  const [held] = await store.batches.requests(batch, run, page)
  await store.requests.commitFailure(held!, { class: 'refused', message: 'no', attempts: 1 })
  expect(await store.upkeep.stats()).toMatchObject({ failures: 0 })
  expect(await store.batches.open()).toEqual([])
})

test('reports a damaged batch, and a repair drops it with its requests', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  const run = await runOf(store, 1)
  await batchOf(store, run, 1)
  const db = new Database(join(dir, databaseName))
  db.prepare(`UPDATE batch SET address = 'elsewhere'`).run()
  db.close()
  await expect(store.batches.open(run)).rejects.toThrow('damaged record: batch')
  expect((await store.upkeep.verify({ repair: true })).damaged).toEqual([{ kind: 'batch', name: 'a'.repeat(12) }])
  expect((await store.requests.lease(run, all)).leases).toHaveLength(1)
})
