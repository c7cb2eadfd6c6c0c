import { randomUUID } from 'node:crypto'
import { cp, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { databaseName } from '../../../../cache/sqlite/connection/database.js'
import type { Job, Store } from '../../../../cache/store.js'
import { verifyStore } from '../../../../cache/open.js'
import { inStore } from '../../../support/line.js'
import { temporaryFolder } from '../../../support/store.js'

const hash = 'ab'.repeat(32)

/** Adds a completed, a failed and a queued job. */
async function work(store: Store): Promise<void> {
  const submit = async (): Promise<Job> =>
    (await store.jobs.submit({ id: randomUUID(), request: { tasks: ['t'] }, group: 'g', labels: { a: 'b' } })).job
  await submit()
  const lease = (await store.jobs.claim())!
  await store.jobs.append(lease, [{ type: 'doc', data: { index: 1 } }], { run: 'r' })
  await store.jobs.finish(lease, { status: 'completed', result: { score: 1 } })
  await submit()
  await store.jobs.finish((await store.jobs.claim())!, { status: 'failed', error: 'no' })
  await submit()
}

async function filledStore(): Promise<string> {
  const dir = join(await temporaryFolder(), 'sound')
  await inStore(dir, async store => {
    await work(store)
    await store.tokens.add({ id: 'id', name: 'ci', scope: 'read', hash, createdAt: 1, expiresAt: 2 })
  })
  return dir
}

type Value = string | number | null

const changed = (value: Value): Value => (typeof value === 'number' ? value + 1000 : `${value ?? ''}x`)

/** Changes one value of a row and nothing else. */
function damage(dir: string, sql: string, ...values: readonly Value[]): void {
  const db = new Database(join(dir, databaseName))
  db.pragma('foreign_keys = OFF')
  db.prepare(sql).run(...values)
  db.close()
}

/** Columns without content: their values change nothing that a client sees. */
const free = ['owner', 'token', 'id', 'number']

interface Place {
  readonly table: string
  /** The column that identifies the row, and its value. */
  readonly key: string
  readonly row: Value
  readonly column: string
  readonly value: Value
}

/** Each value of the first two rows of each table. */
function values(dir: string): readonly Place[] {
  const db = new Database(join(dir, databaseName), { readonly: true })
  const found = ['job', 'job_event', 'token', 'job_count'].flatMap(table => {
    const key = { token: 'number', job_count: 'status' }[table] ?? 'id'
    const rows = db.prepare<[], Record<string, Value>>(`SELECT * FROM ${table} ORDER BY ${key} LIMIT 2`).all()
    return rows.flatMap(row =>
      Object.entries(row).map(([column, value]) => ({ table, key, column, row: row[key]!, value })),
    )
  })
  db.close()
  return found
}

/** What a service sees of the jobs; undefined if damage is reported. */
async function seen(store: Store): Promise<unknown> {
  try {
    const jobs = await store.jobs.list({ limit: 9 })
    const events = await Promise.all(jobs.map(({ id }) => store.jobs.events(id, 0, 99)))
    return { jobs, events, counts: await store.jobs.counts(), tokens: await store.tokens.list() }
  } catch (error) {
    expect(error).toMatchObject({ code: 'store', message: expect.stringContaining('damaged record: ') as string })
    return undefined
  }
}

test('finds every damaged value of a job, event or token, and the repaired jobs can continue', async () => {
  const sound = await filledStore()
  const before = await inStore(sound, seen)
  const all = values(sound)
  expect(all.length).toBeGreaterThan(60)
  for (const [index, { table, key, column, row, value }] of all.entries()) {
    const what = `${table} ${row} ${column}`
    const dir = join(dirname(sound), String(index))
    await cp(sound, dir, { recursive: true })
    damage(dir, `UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, changed(value), row)
    await inStore(dir, async store => {
      const { damaged } = await store.upkeep.verify({ repair: false })
      if (free.includes(column) && damaged.length === 0) expect(await seen(store), what).toEqual(before)
      else expect(damaged.length, what).toBeGreaterThan(0)
      await store.upkeep.verify({ repair: true })
      expect((await store.upkeep.verify({ repair: false })).damaged, what).toEqual([])
      await work(store)
    })
  }
})

test('skips and names damaged jobs, and continues with the others', async () => {
  const dir = await filledStore()
  const submit = (store: Store) => store.jobs.submit({ id: randomUUID(), request: {}, group: 'g' })
  const [first, left, next] = await inStore(dir, async store => {
    const [waiting] = await store.jobs.list({ limit: 1 })
    return [waiting!, (await submit(store)).job, (await submit(store)).job]
  })
  damage(dir, "UPDATE job SET request = '{' WHERE uuid = ?", first.id)
  damage(dir, "UPDATE job SET status = 'running', owner = NULL WHERE uuid = ?", left.id)
  await inStore(dir, async store => {
    const damaged: string[] = []
    const lease = await store.jobs.claim({ onDamaged: job => damaged.push(job) })
    expect(lease?.job.id).toBe(next.id)
    expect(damaged).toEqual([first.id, left.id])
    expect(await store.jobs.claim()).toBeUndefined()
  })
})

test('a damaged job does not block webhooks of others', async () => {
  const dir = await filledStore()
  const ids = await inStore(dir, async store => {
    await store.jobs.cancel((await store.jobs.list({ limit: 1 }))[0]!.id)
    const end = async (): Promise<string> => {
      await store.jobs.submit({ id: randomUUID(), request: {}, group: 'g', webhook: 'http://x' })
      const lease = (await store.jobs.claim())!
      await store.jobs.finish(lease, { status: 'completed', result: {} })
      return lease.job.id
    }
    return [await end(), await end()]
  })
  damage(dir, "UPDATE job SET result = '[]' WHERE uuid = ?", ids[0]!)
  await inStore(dir, async store => {
    expect((await store.jobs.webhooksDue(1)).map(({ id }) => id)).toEqual([ids[1]])
  })
})

test('keeps the number of a lost event, and reports the end of its job again', async () => {
  const dir = await filledStore()
  const types = (store: Store) =>
    store.jobs
      .list({ limit: 9, status: 'completed' })
      .then(([job]) => store.jobs.events(job!.id, 0, 9))
      .then(events => events.map(({ id, type, data }) => ({ id, type, data })))
  const before = await inStore(dir, types)
  expect(before.map(({ type }) => type)).toEqual(['queued', 'started', 'doc', 'completed'])
  damage(dir, "UPDATE job_event SET data = '{}' WHERE type IN ('doc', 'completed')")
  await inStore(dir, async store => {
    const { damaged } = await store.upkeep.verify({ repair: true })
    expect(damaged.map(({ kind }) => kind)).toEqual(['job_event', 'job_event', 'job_event'])
    expect(await types(store)).toEqual([...before.slice(0, 2), { ...before[3], id: 3 }])
  })
  damage(dir, "DELETE FROM job_event WHERE type = 'started'")
  await inStore(dir, async store => {
    await store.upkeep.verify({ repair: true })
    expect((await types(store)).map(({ id, type }) => [id, type])).toEqual([
      [1, 'queued'],
      [2, 'lost'],
      [3, 'completed'],
    ])
  })
})

test('recovers jobs from an unreadable database, but no tokens, because a removed one must not return', async () => {
  const dir = await filledStore()
  const before = (await inStore(dir, seen)) as { readonly jobs: readonly Job[] }
  const handle = await open(join(dir, databaseName), 'r+')
  await handle.write(Buffer.alloc(100), 0, 100, 0)
  await handle.close()
  const { salvaged } = await verifyStore(dir, { repair: true })
  expect(salvaged?.rows).toMatchObject({ job: 3, job_event: 8 })
  await inStore(dir, async store => {
    expect(await seen(store)).toEqual({ ...before, tokens: [] })
    expect((await store.jobs.claim())?.job.status).toBe('running')
  })
})
