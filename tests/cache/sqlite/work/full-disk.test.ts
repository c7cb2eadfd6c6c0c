import Database from 'better-sqlite3'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import type { Store } from '../../../../cache/store.js'
import { answer, question, temporaryFolder } from '../../../support/store.js'
import { askedRun, leaseAll, textsOf } from '../../../support/store-conformance/scene.js'

/** Opens a store whose database file may be forbidden to grow, as on a full disk. */
async function opened(dir: string) {
  const told: string[] = []
  const pragma = vi.spyOn(Database.prototype, 'pragma')
  const store = await openStore(dir, { waiting: { tell: line => told.push(line) } })
  const db = pragma.mock.contexts.at(-1) as Database.Database
  pragma.mockRestore()
  onTestFinished(() => store.close().catch(() => undefined))
  const setPages = (pages: number): void => void db.pragma(`max_page_count = ${pages}`)
  return {
    store,
    told,
    fill: () => setPages(Number(db.pragma('page_count', { simple: true }))),
    free: () => setPages(1_000_000),
  }
}

const large = (letter: string): string => letter.repeat(300_000)
const attempt = (store: Store, ...args: readonly [Parameters<typeof answer>[1], string]) =>
  answer(store, ...args).catch((error: unknown) => error)

test('answers that a full disk refuses are stored by the next process', async () => {
  const dir = await temporaryFolder()
  const { store, fill } = await opened(dir)
  const run = await askedRun(store, 4)
  const leases = await leaseAll(store, run)
  await answer(store, leases[0]!, 'a')
  fill()
  const outcomes = await Promise.all(leases.slice(1, 3).map((lease, at) => attempt(store, lease, large('bc'[at]!))))
  expect(outcomes).toMatchObject(Array(2).fill({ reason: 'store-full' }))
  await store.close()
  const next = await opened(dir)
  expect(next.told).toEqual(['2 answers that waited for the store when an earlier process ended are stored now.'])
  expect(await textsOf(next.store, run)).toEqual(['a', large('b'), large('c'), undefined])
  expect(readdirSync(join(dir, 'waiting-answers'))).toEqual([])
  expect((await next.store.upkeep.verify({ repair: false })).damaged).toEqual([])
})

test('a store that is still full opens, so that it can be cleaned, and leases nothing before the answers are stored', async () => {
  const dir = await temporaryFolder()
  const first = await opened(dir)
  const run = await askedRun(first.store, 2)
  const [lease] = await leaseAll(first.store, run)
  first.fill()
  await attempt(first.store, lease!, large('b'))
  await first.store.close()
  // The limit is one of the connection, so the next handle is filled by a row that cannot be stored either.
  const prepare = Reflect.get(Database.prototype, 'prepare') as (sql: string) => Database.Statement
  vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, sql: string) {
    if (/INSERT OR IGNORE INTO response/.test(sql))
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    return prepare.call(this, sql)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const next = await opened(dir)
  await expect(leaseAll(next.store, run)).rejects.toMatchObject({ reason: 'store-full' })
  vi.restoreAllMocks()
  expect(await leaseAll(next.store, run)).toHaveLength(1)
  expect(await textsOf(next.store, run)).toEqual([large('b'), undefined])
})

test('a reply of a judge that a full disk refuses is stored with its request by the next process', async () => {
  const dir = await temporaryFolder()
  const { store, fill } = await opened(dir)
  const run = await askedRun(store, 1)
  const doc = question(7, large('q'))
  const stored = { body: { text: large('r'), finishReason: 'stop' as const }, meta: { durationMs: 1, attempts: 1 } }
  fill()
  await expect(store.requests.keepAnswer(run, doc, stored as never)).rejects.toMatchObject({ reason: 'store-full' })
  await store.close()
  const next = await opened(dir)
  expect(
    await next.store.requests.keepAnswer(run, doc, { ...stored, meta: { ...stored.meta, attempts: 2 } } as never),
  ).toMatchObject({
    meta: { attempts: 1 },
  })
})

test('an answer that no store can hold is not kept', async () => {
  const dir = await temporaryFolder()
  const { store } = await opened(dir)
  const run = await askedRun(store, 1)
  const [lease] = await leaseAll(store, run)
  await store.close()
  await expect(answer(store, lease!, 'late')).rejects.toThrow()
  expect(existsSync(join(dir, 'waiting-answers'))).toBe(false)
})
