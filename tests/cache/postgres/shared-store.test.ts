import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PortableStore } from '../../../cache/bundle/portable.js'
import { copyStore } from '../../../cache/bundle/copy-store.js'
import { canonicalDump } from '../../../cache/canonical-dump.js'
import { holdsStore, openStore, verifyStore } from '../../../cache/open.js'
import type { Run } from '../../../cache/records.js'
import type { LeaseResult, Store } from '../../../cache/store.js'
import type { Access, LockListener } from '../../../cache/store/opening.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { answer, question, temporaryFolder, testRun } from '../../support/store.js'
import {
  allOf,
  answerAll,
  askedRun,
  judgeStart,
  leaseAll,
  questions,
  rules,
  timeout,
} from '../../support/store-conformance/scene.js'

let cluster: Cluster

async function opened(location: string, access: Access = 'write', waiting?: LockListener) {
  const store = await openStore(location, { access, ...(waiting && { waiting }) })
  onTestFinished(() => store.close().catch(() => undefined))
  return store
}

async function judged(store: Store, docs: number): Promise<Run> {
  const run = await askedRun(store, docs)
  const [failed, ...others] = await leaseAll(store, run)
  await store.requests.commitFailure(failed!, timeout)
  for (const lease of others) await answer(store, lease, lease.item.doc)
  const judgement = await store.judgements.open(run, [rules])
  const { docs: ready } = await store.judgements.docsToJudge(judgement, judgeStart, 100)
  const body = { outcome: 'scored', values: { m: 1 }, extracted: {} } as const
  await store.judgements.commitScores(
    judgement,
    ready.map(doc => ({ doc, body })),
  )
  await store.judgements.close(judgement, [])
  return run
}

async function dump(store: Store, run: Run): Promise<string> {
  const [judgement] = await store.judgements.list(run)
  return (await allOf(canonicalDump(store, run, judgement))).join('\n')
}

async function carry(from: Store & PortableStore, run: Run, to: Store & PortableStore) {
  return to.importRun(await from.exportRun(run), 'refuse')
}

describe.skipIf(withoutPostgres !== '')(`a store on PostgreSQL${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
  })
  afterAll(() => cluster.stop())

  test('a run is counted again only after a process wrote something', async () => {
    const address = cluster.address('counted')
    const [store, other] = [await opened(address), await opened(address)]
    const run = await askedRun(store, 3)
    const queries = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => queries.mockRestore())
    const countScans = (): number => queries.mock.calls.filter(([text]) => text.includes('count(DISTINCT doc)')).length
    const countThrice = () => Promise.all([1, 2, 3].map(() => store.runs.counts(run)))
    expect(await countThrice()).toMatchObject(Array(3).fill({ answered: 0, pending: 3 }))
    expect(countScans()).toBe(1)
    await answerAll(other, run)
    expect(await countThrice()).toMatchObject(Array(3).fill({ answered: 3, pending: 0 }))
    expect(countScans()).toBe(2)
  })

  test('a store of an older format is read without being changed, and upgraded by the first write', async () => {
    const address = cluster.address('older')
    const store = await opened(address)
    const run = await askedRun(store, 2)
    await answerAll(store, run)
    await store.jobs.submit({ id: 'j', request: {}, group: 'g' })
    await store.close()
    const newest = cluster.sql('SELECT version FROM older.format')
    cluster.sql(
      'ALTER TABLE older.owner DROP COLUMN answers, DROP COLUMN per_second; ALTER TABLE older.job DROP COLUMN stage; UPDATE older.format SET version = 1',
    )
    const reader = await opened(address, 'read')
    expect(await reader.runs.counts(run)).toMatchObject({ answered: 2 })
    expect(await reader.jobs.waiting()).toMatchObject([{ stage: 'input', jobs: 1 }])
    expect(await reader.jobs.list({ limit: 5 })).toHaveLength(1)
    expect(await reader.runs.workers()).toEqual([])
    expect((await reader.upkeep.verify({ repair: false })).damaged).toEqual([])
    // A connection that is made later reads them, too.
    cluster.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pipeline'")
    expect(await reader.jobs.waiting()).toHaveLength(1)
    expect(cluster.sql('SELECT version FROM older.format')).toBe('1\n')
    await reader.close()
    await opened(address)
    expect(cluster.sql('SELECT version FROM older.format')).toBe(newest)
  })

  test('workers that find no job write nothing, and one of several that see a job gets it', async () => {
    const address = cluster.address('idle')
    const workers = await Promise.all([1, 2, 3, 4].map(() => opened(address)))
    const readCounter = () => cluster.sql("SELECT value FROM idle.counter WHERE name = 'job'").trim()
    for (let round = 0; round < 3; round++) await Promise.all(workers.map(({ jobs }) => jobs.claim()))
    expect(readCounter()).toBe('0')
    await workers[0]!.jobs.submit({ id: '2f1c', request: {}, group: 'g' })
    const leases = await Promise.all(workers.map(({ jobs }) => jobs.claim()))
    expect(leases.filter(lease => lease !== undefined)).toMatchObject([{ job: { id: '2f1c' }, token: 2 }])
    expect(readCounter()).toBe('2')
  })

  test('a run moves between a folder and a server unchanged, and is imported once', async () => {
    const folder = await opened(await temporaryFolder())
    const server = await opened(cluster.address('carried'))
    const run = await judged(folder, 30)
    const { run: there, ...first } = await carry(folder, run, server)
    expect(first).toMatchObject({ isNew: true, added: { items: 30, responses: 29, scores: 29 }, conflicts: [] })
    expect(await dump(server, there)).toBe(await dump(folder, run))
    const again = await carry(folder, run, server)
    expect(again).toMatchObject({ isNew: false, added: { items: 0, responses: 0, scores: 0 }, conflicts: [] })
    expect(again.present).toEqual({ items: 30, responses: 29, scores: 29 })
    const other = await opened(await temporaryFolder())
    const { run: back } = await carry(server, there, other)
    expect(await dump(other, back)).toBe(await dump(folder, run))
    expect((await server.upkeep.verify({ repair: false })).damaged).toEqual([])
  })

  test('an answer that differs from a stored one is a conflict, and nothing is imported', async () => {
    const folder = await opened(await temporaryFolder())
    const server = await opened(cluster.address('conflict'))
    const ours = await askedRun(server, 1)
    await answer(server, (await leaseAll(server, ours))[0]!, 'ours')
    const theirs = await askedRun(folder, 2)
    for (const lease of await leaseAll(folder, theirs)) await answer(folder, lease, 'theirs')
    await expect(carry(folder, theirs, server)).rejects.toThrow('1 of its keys have another content here')
    expect(await server.runs.counts(ours)).toMatchObject({ items: 1, answered: 1 })
    const { conflicts } = await server.importRun(await folder.exportRun(theirs), 'keep-ours')
    expect(conflicts).toHaveLength(1)
    expect(await server.runs.counts(ours)).toMatchObject({ items: 2, answered: 2 })
  })

  test('a whole store is copied with its media, labels and tags, and a second copy adds nothing', async () => {
    const folder = await opened(await temporaryFolder())
    const server = await opened(cluster.address('copied'))
    const run = await judged(folder, 3)
    const { digest } = await folder.media.addBytes(Buffer.from('a picture'))
    const content = [{ type: 'image' as const, media: digest }]
    const shown = {
      ...question(0),
      requests: question(0).requests.map(one => ({
        ...one,
        input: { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] },
      })),
    }
    const other = await testRun(folder, ['pictures'])
    await folder.docs.commit(other, 0, [shown], true)
    await folder.runs.tag(run, { add: ['paper'] })
    const copied = await allOf(copyStore(folder, server, { onConflict: 'refuse' }))
    expect(copied.map(({ media, missing }) => ({ media, missing }))).toEqual([
      { media: 0, missing: [] },
      { media: 1, missing: [] },
    ])
    expect((await server.runs.newest())!.id).toBe(other.id)
    expect([...(await server.runs.tags()).values()]).toEqual([['paper']])
    expect(Buffer.from(await server.media.read(digest)).toString()).toBe('a picture')
    expect(await dump(server, copied[0]!.outcome.run)).toBe(await dump(folder, run))
    const again = await allOf(copyStore(folder, server, { onConflict: 'refuse' }))
    const none = { items: 0, responses: 0, scores: 0 }
    expect(again).toMatchObject([
      { media: 0, outcome: { added: none } },
      { media: 0, outcome: { added: none } },
    ])
    const pending = await leaseAll(folder, other)
    await folder.batches.add(await folder.batches.begin('0123456789ab', 'https://a'), pending)
    await expect(allOf(copyStore(folder, server, { onConflict: 'refuse' }))).rejects.toThrow(
      'a provider works on 1 batch',
    )
  })

  test('texts with characters that PostgreSQL rejects are read back unchanged', async () => {
    const store = await opened(cluster.address('texts'))
    const id = 'a\u0000b\u0001c\u00010'
    const run = await askedRun(store, [{ ...question(0, 'nul \u0000 \ud800'), id }])
    const [lease] = await leaseAll(store, run)
    expect(lease!.item.doc).toBe(id)
    const failure = { class: 'server', message: 'bad\u0000byte', attempts: 1 } as const
    await store.requests.commitFailure(lease!, failure)
    expect(await store.requests.failures(run)).toMatchObject([{ doc: id, failure }])
    expect(await answer(store, lease!, 'x\u0000y')).toBe(true)
    const [sample] = await allOf(store.judgements.samples(run))
    expect(sample).toMatchObject({ id, items: [{ response: { body: { text: 'x\u0000y' } } }] })
    expect(await store.judgements.findDoc(run, 0, id)).toBe(0)
  })

  test('the judge misses no answer, however transactions overlap', async () => {
    const address = cluster.address('overlap')
    const stores = await Promise.all([1, 2, 3, 4].map(() => opened(address)))
    const [judge, ...workers] = stores
    const run = await askedRun(judge!, 120)
    const judgement = await judge!.judgements.open(run, [rules])
    const leases = await leaseAll(judge!, run, { limit: 200 })
    let open = leases.length
    const working = leases.map(async (lease, index) => {
      await new Promise(resolve => setTimeout(resolve, (index * 7) % 50))
      await answer(workers[index % workers.length]!, lease, 'yes')
      open -= 1
    })
    const seen = new Set<number>()
    for (let cursor = judgeStart, isLast = false; !isLast;) {
      isLast = open === 0
      const batch = await judge!.judgements.docsToJudge(judgement, cursor, 50)
      for (const { index } of batch.docs) seen.add(index)
      cursor = batch.next
      isLast &&= batch.exhausted
    }
    await Promise.all(working)
    expect(seen.size).toBe(120)
  })

  test('work waits with one message while the server is down, and then continues', async () => {
    const told: string[] = []
    const address = cluster.address('outage').replace('postgres@', 'postgres:s3cret@')
    const store = await opened(address, 'write', { tell: line => told.push(line) })
    expect(store.location).not.toContain('s3cret')
    const run = await askedRun(store, 8)
    const leases = await leaseAll(store, run)
    await answer(store, leases[0]!, 'before')
    await cluster.kill()
    const meanwhile = Promise.all(leases.slice(1).map(lease => answer(store, lease, lease.item.doc)))
    const counted = store.runs.counts(run)
    await new Promise(resolve => setTimeout(resolve, 700))
    await cluster.start()
    expect(await meanwhile).toEqual(Array.from({ length: 7 }, () => true))
    expect(await counted).toMatchObject({ items: 8 })
    expect(await store.runs.counts(run)).toMatchObject({ answered: 8, pending: 0 })
    expect(told).toEqual([
      `the store ${store.location} can't be reached (no server accepts connections there). This process waits and continues by itself.`,
      expect.stringMatching(/^the store postgres:.* can be reached again, after \d+ s$/),
    ])
    expect(told.join()).not.toContain('s3cret')
  })

  test("measures the silence of a remote owner from the start of the server, by the server's clock", async () => {
    const address = cluster.address('silent')
    const first = await opened(address)
    const run = await askedRun(first, 1)
    const [lease] = await leaseAll(first, run)
    // The server was away for five minutes, in which nobody could write a heartbeat.
    cluster.sql("UPDATE silent.owner SET host = 'elsewhere', seen = now() - interval '5 minutes'")
    const second = await opened(address)
    const look = (): Promise<LeaseResult> => second.requests.lease(run, { after: 0, limit: 9, retryFailed: false })
    expect(await look()).toMatchObject({ leases: [], elsewhere: 1, holders: [{ host: 'elsewhere', isHere: false }] })
    cluster.sql("UPDATE silent.owner SET gone = true WHERE host = 'elsewhere'")
    expect((await look()).leases[0]!.token).toBeGreaterThan(lease!.token)
  })

  test('several processes that open a new store at once share it', async () => {
    const address = cluster.address('together')
    const stores = await Promise.all(Array.from({ length: 5 }, () => opened(address)))
    const run = await testRun(stores[0]!)
    expect(await stores[4]!.runs.list()).toEqual([run])
  })

  test('a schema may have the name of an SQL keyword', async () => {
    const address = cluster.address('limit')
    const run = await askedRun(await opened(address), 2)
    expect(await (await opened(address, 'read')).runs.find(run.id)).toMatchObject({ name: run.name })
  })

  test('rejects a database that is not a store, is newer, or has the media of another store', async () => {
    const address = cluster.address('refused')
    await expect(opened(address, 'change')).rejects.toThrow('there is no store in schema refused of postgres://')
    expect(await holdsStore(address)).toBe(false)
    const store = await opened(address)
    expect(await holdsStore(address)).toBe(true)
    const mark = join(cluster.folder, 'media-refused', 'store.txt')
    const id = readFileSync(mark, 'utf8')
    rmSync(mark)
    await expect(opened(address, 'change')).rejects.toThrow('its file store.txt is missing. Mount the share')
    writeFileSync(mark, 'another')
    await expect(opened(address, 'read')).rejects.toThrow('holds the media of another store')
    mkdirSync(join(cluster.folder, 'media-refused', 'ab'))
    await expect(opened(address.replace('schema=refused', 'schema=second'))).rejects.toThrow('name an empty folder')
    expect(await holdsStore(address.replace('schema=refused', 'schema=second'))).toBe(false)
    writeFileSync(mark, id)
    cluster.sql('UPDATE refused.format SET version = 99')
    await expect(opened(address)).rejects.toThrow('was made by a newer version of pipeline (format 99')
    await store.close()
    await expect(opened(address.replace('/postgres?', '/nowhere?'))).rejects.toThrow('has no such database')
    await expect(opened(address.replace(String(cluster.port), '1'))).rejects.toThrow(
      "can't be reached: no server accepts connections there",
    )
  })

  test('finds damage, drops rows that can be computed again, and refuses to repair others', async () => {
    const address = cluster.address('damaged')
    const store = await opened(address)
    const run = await judged(store, 3)
    await store.close()
    cluster.sql(`UPDATE damaged.response SET body = replace(body, '1', '7') WHERE seq = 1`)
    const found = await verifyStore(address, { repair: false })
    expect(found.damaged).toMatchObject([{ kind: 'response' }])
    expect((await verifyStore(address, { repair: true })).damaged).toHaveLength(1)
    expect((await verifyStore(address, { repair: false })).damaged).toEqual([])
    const mended = await opened(address)
    expect(await mended.runs.counts(run)).toMatchObject({ answered: 1, pending: 1 })
    const [judgement] = await mended.judgements.list(run)
    expect(judgement!.finishedAt).toBeUndefined()
    await answerAll(mended, run)
    cluster.sql("UPDATE damaged.item SET doc_id = 'other' WHERE doc = 1")
    await expect(verifyStore(address, { repair: true })).rejects.toThrow('cannot be repaired there (item)')
    await expect(allOf(mended.judgements.samples(run))).rejects.toThrow('damaged record: item')
  })

  test('a store opened for reading rejects writes', async () => {
    const address = cluster.address('read')
    const store = await opened(address)
    const run = await askedRun(store, 1)
    const reader = await opened(address, 'read')
    expect(reader.readOnly).toBe(true)
    expect(await reader.runs.list()).toEqual([run])
    await reader.probe()
    await expect(reader.values.set('x', 1)).rejects.toThrow('is read-only')
    await expect(
      testRun(
        reader,
        questions(1).map(({ id }) => id),
      ),
    ).rejects.toThrow('is read-only')
  })

  test('sixty-four processes use one connection each, so that a server with default settings suffices', async () => {
    const [most, reserved] = cluster
      .sql("SELECT current_setting('max_connections') || ' ' || current_setting('superuser_reserved_connections')")
      .split(' ')
      .map(Number)
    expect([most, reserved]).toEqual([100, 3])
    const first = await opened(cluster.address('sixtyfour'))
    const run = await askedRun(first, 128)
    const others = await Promise.all(Array.from({ length: 63 }, () => opened(cluster.address('sixtyfour'))))
    const leases = await leaseAll(first, run, { limit: 128 })
    // Reads, answers, heartbeats and jobs run concurrently, and none of them needs a second connection.
    await Promise.all(
      [first, ...others].map(async (store, index) => {
        await Promise.all([
          ...leases.slice(2 * index, 2 * index + 2).map(lease => answer(store, lease, 'yes')),
          ...[store.probe(), store.runs.counts(run), store.runs.workers(), store.jobs.claim(), store.dataVersion()],
        ])
      }),
    )
    const count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pipeline'"
    expect(Number(cluster.sql(count))).toBeGreaterThanOrEqual(64)
    // Handles of earlier tests of this file may still be closing.
    expect(Number(cluster.sql(count))).toBeLessThanOrEqual(64 + 8)
    expect((await first.runs.counts(run)).answered).toBe(128)
  })
})
