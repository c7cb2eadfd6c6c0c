import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { GroupCommit } from '../../cache/sqlite/connection/group-commit.js'
import { settle } from '../support/virtual-clock.js'

/** A disk whose syncs end on request. */
function slowDisk() {
  const waiting: { done: () => void; fail: (error: Error) => void }[] = []
  const sync = (): Promise<void> => new Promise((done, fail) => void waiting.push({ done, fail }))
  return { sync, waiting }
}

function start() {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE written (value TEXT)')
  const disk = slowDisk()
  const commit = new GroupCommit(db, { sync: disk.sync, explain: error => new Error(`explained: ${String(error)}`) })
  const said: string[] = []
  const write = (value: string) =>
    commit
      .add(
        () => void db.prepare('INSERT INTO written VALUES (?)').run(value),
        'soon',
        () => said.push(`${value} kept`),
      )
      .then(
        () => said.push(`${value} durable`),
        (error: unknown) => said.push(`${value}: ${String(error)}`),
      )
  const written = () => db.prepare('SELECT value FROM written').pluck().all()
  return { db, commit, disk, said, write, written }
}

test('a write is visible after its commit, and resolves after the sync to disk', async () => {
  const { disk, said, write, written } = start()
  void write('a')
  await settle()
  expect({ said, written: written() }).toEqual({ said: ['a kept'], written: ['a'] })
  disk.waiting[0]!.done()
  await settle()
  expect(said).toEqual(['a kept', 'a durable'])
})

test('transactions committed during a sync share the next sync, which begins after them', async () => {
  const { disk, said, write } = start()
  void write('a')
  await settle()
  void write('b')
  await settle()
  void write('c')
  await settle()
  expect(disk.waiting).toHaveLength(1)
  disk.waiting[0]!.done()
  await settle()
  expect({ said, syncs: disk.waiting.length }).toEqual({ said: ['a kept', 'b kept', 'c kept', 'a durable'], syncs: 2 })
  disk.waiting[1]!.done()
  await settle()
  expect(said.slice(4)).toEqual(['b durable', 'c durable'])
})

test('a read without pending writes resolves at once, and else after those writes are durable', async () => {
  const { db, commit, disk, said, write } = start()
  const read = () => commit.add(() => db.prepare('SELECT count(*) FROM written').pluck().get())
  expect(await read()).toBe(0)
  void write('a')
  void read().then(count => said.push(`read ${String(count)}`))
  await settle()
  expect(said).toEqual(['a kept'])
  disk.waiting[0]!.done()
  await settle()
  expect(said).toEqual(['a kept', 'a durable', 'read 1'])
  expect(disk.waiting).toHaveLength(1)
})

test('a look sees committed rows and resolves before they are synced', async () => {
  const { db, commit, disk, said, write } = start()
  void write('a')
  expect(await commit.look(() => db.prepare('SELECT value FROM written').pluck().all())).toEqual(['a'])
  expect(said).toEqual(['a kept'])
  await settle()
  disk.waiting[0]!.done()
  await expect(
    commit.look(() => {
      throw new Error('no')
    }),
  ).rejects.toThrow('explained: Error: no')
})

test('after a failed sync, neither earlier nor later writes are reported as durable', async () => {
  const { disk, said, write, written } = start()
  void write('a')
  await settle()
  disk.waiting[0]!.fail(new Error('EIO'))
  await settle()
  void write('b')
  await settle()
  disk.waiting[1]?.done()
  await settle()
  expect(said).toEqual(['a kept', 'a: Error: explained: Error: EIO', 'b: Error: explained: Error: EIO'])
  expect(written()).toEqual(['a'])
})

test('a failed write does not fail the others of its transaction', async () => {
  const { commit, disk, said, write } = start()
  void write('a')
  void commit
    .add(() => {
      throw new Error('no')
    })
    .catch((error: unknown) => said.push(String(error)))
  void write('b')
  await settle()
  disk.waiting[0]!.done()
  await settle()
  expect(said).toEqual(['a kept', 'b kept', 'a durable', 'Error: explained: Error: no', 'b durable'])
})

test('rows written one by one before a lock are not written again after it', async () => {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE written (value TEXT)')
  const patience = { wait: () => Promise.resolve(), reset: () => undefined }
  const commit = new GroupCommit(db, { sync: () => Promise.resolve(), explain: error => error, patience })
  const write = (value: string) => db.prepare('INSERT INTO written VALUES (?)').run(value)
  let locks = 1
  const ends = await Promise.allSettled([
    commit.add(() => write('a')),
    commit.add(() => {
      throw new Error('not b')
    }),
    commit.add(() => {
      if (locks-- > 0) throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
      write('c')
    }),
  ])
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(db.prepare('SELECT value FROM written').pluck().all()).toEqual(['a', 'c'])
})

test('a flush ends when all pending writes are durable', async () => {
  const { commit, disk, said, write } = start()
  void write('a')
  void commit.flush().then(() => said.push('flushed'))
  void write('b')
  await settle()
  expect(said).toEqual(['a kept', 'b kept'])
  disk.waiting[0]!.done()
  await settle()
  disk.waiting[1]?.done()
  await settle()
  expect(said.toSorted()).toEqual(['a durable', 'a kept', 'b durable', 'b kept', 'flushed'])
})
