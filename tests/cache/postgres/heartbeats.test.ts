import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { PortableRun } from '../../../cache/bundle/portable.js'
import { processOwner } from '../../../base/processes/process-identity.js'
import { openPostgresStore } from '../../../cache/postgres/connection/open-postgres-store.js'
import { nextPiece } from '../../../cache/postgres/garbage/collect-garbage.js'
import type { PostgresStore } from '../../../cache/postgres/postgres-store.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { answer } from '../../support/store.js'
import { askedRun, leaseAll } from '../../support/store-conformance/scene.js'

describe.skipIf(withoutPostgres !== '')(`the heartbeats of a process on PostgreSQL${withoutPostgres}`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true, settings: ['max_connections=12'] })
  })
  afterAll(() => cluster.stop())
  // The interval of heartbeats alone is set by the tests.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  async function opened(schema: string): Promise<PostgresStore> {
    const store = await openPostgresStore(cluster.address(schema), { access: 'write' })
    onTestFinished(() => store.close().catch(() => undefined))
    return store
  }

  /** Locks tables as another program, until the returned function is called. */
  async function locked(schema: string, tables: readonly string[]): Promise<() => Promise<void>> {
    const client = new pg.Client({ host: '127.0.0.1', port: cluster.port, user: 'postgres' })
    await client.connect()
    onTestFinished(() => client.end())
    await client.query(
      `BEGIN; LOCK TABLE ${tables.map(table => `${schema}.${table}`).join(', ')} IN ACCESS EXCLUSIVE MODE`,
    )
    return async () => {
      await client.query('ROLLBACK')
    }
  }

  const silenceOwners = (schema: string): string =>
    cluster.sql(`UPDATE ${schema}.owner SET seen = seen - interval '59 seconds'`)
  const countSilent = (schema: string): string =>
    cluster.sql(`SELECT count(*) FROM ${schema}.owner WHERE seen < clock_timestamp() - interval '30 seconds'`).trim()

  type Work = (store: PostgresStore, leases: Awaited<ReturnType<typeof leaseAll>>) => Promise<unknown>
  test.each<readonly [string, readonly string[], Work]>([
    ['an answer', ['response'], (store, [lease]) => answer(store, lease!, 'late')],
    [
      'a failure',
      ['lease'],
      (store, [lease]) => store.requests.commitFailure(lease!, { class: 'refused', message: 'no', attempts: 1 }),
    ],
    ['a search for work', ['item'], async store => leaseAll(store, (await store.runs.list())[0]!)],
    ['a garbage collection', ['record'], store => store.upkeep.collectGarbage({ dryRun: false })],
    ['a repair', ['score'], store => store.upkeep.verify({ repair: true })],
    ['a job', ['job'], store => store.jobs.claim()],
  ])('are written while %s waits for a lock', async (what, tables, work) => {
    const schema = what.replace(/\W/g, '')
    const store = await opened(schema)
    const leases = await leaseAll(store, await askedRun(store, 2))
    const unlock = await locked(schema, tables)
    const done = work(store, leases)
    done.catch(() => undefined)
    await vi.waitFor(() =>
      expect(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).toBe('1\n'),
    )
    silenceOwners(schema)
    vi.advanceTimersByTime(15_000)
    await vi.waitFor(() => expect(countSilent(schema)).toBe('0'))
    await unlock()
    await done
    // The connection is closed after each heartbeat.
    await vi.waitFor(() =>
      expect(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pipeline'")).toBe('1\n'),
    )
  })

  test('are written while object storage removes media slowly, and a process that opens the store waits for a piece alone', async () => {
    const store = await opened('slowmedia')
    for (let index = 0; index < 20; index++) await store.media.addBytes(Buffer.from(`medium ${index}`))
    let goOn = (): void => undefined
    const remove = store.media.remove.bind(store.media)
    const removal = vi.spyOn(store.media, 'remove').mockImplementationOnce(async digests => {
      await new Promise<void>(resolve => (goOn = resolve))
      await remove(digests)
    })
    const freed = store.upkeep.collectGarbage({ dryRun: false })
    await vi.waitFor(() => expect(removal).toHaveBeenCalledTimes(1))
    silenceOwners('slowmedia')
    vi.advanceTimersByTime(15_000)
    await vi.waitFor(() => expect(countSilent('slowmedia')).toBe('0'))
    const other = openPostgresStore(cluster.address('slowmedia'), { access: 'write', self: processOwner(1) })
    await vi.waitFor(() =>
      expect(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).toBe('1\n'),
    )
    goOn()
    onTestFinished(await other.then(opened => () => opened.close()))
    // The other process may show what is left.
    expect(await freed).toMatchObject({ media: { files: 16 }, users: [{ pid: processOwner(1).pid }] })
    expect(removal).toHaveBeenCalledTimes(1)
  })

  test('are written during an import whose bundle is read slowly', async () => {
    const [from, store] = [await opened('slowfrom'), await opened('slowto')]
    const run = await askedRun(from, 2)
    const exported = await from.exportRun(run)
    let goOn: (() => void) | undefined
    const slow: PortableRun = {
      ...exported,
      async *items() {
        await new Promise<void>(resolve => (goOn = resolve))
        yield* exported.items()
      },
    }
    const imported = store.importRun(slow, 'refuse')
    // Between two statements, the import is idle in its transaction for a moment, too.
    await vi.waitFor(() => {
      expect(goOn).toBeDefined()
      expect(cluster.sql("SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'")).toBe('1\n')
    })
    silenceOwners('slowto')
    vi.advanceTimersByTime(15_000)
    await vi.waitFor(() => expect(countSilent('slowto')).toBe('0'))
    goOn?.()
    expect(await imported).toMatchObject({ isNew: true })
  })

  test('notice that a newer version upgraded the store, after which nothing is written, and paid answers wait in a file', async () => {
    const store = await opened('upgraded')
    const run = await askedRun(store, 2)
    const [lease] = await leaseAll(store, run)
    const version = Number(cluster.sql('SELECT version FROM upgraded.format'))
    cluster.sql(`UPDATE upgraded.format SET version = ${version + 1}`)
    silenceOwners('upgraded')
    vi.advanceTimersByTime(15_000)
    await vi.waitFor(() => expect(countSilent('upgraded')).toBe('0'))
    await vi.waitFor(() => expect(answer(store, lease!, 'late')).rejects.toMatchObject({ reason: 'store-newer' }))
    await store.close()
    cluster.sql(`UPDATE upgraded.format SET version = ${version}`)
    expect(await (await opened('upgraded')).runs.counts(run)).toMatchObject({ answered: 1 })
  })

  test('do not revive another process whose number a restored database gave to it', async () => {
    const store = await opened('renumbered')
    cluster.sql(`UPDATE renumbered.owner SET pid = ${processOwner(1).pid}, seen = seen - interval '59 seconds'`)
    vi.advanceTimersByTime(15_000)
    await store.runs.list()
    await vi.waitFor(() => expect(countSilent('renumbered')).toBe('1'))
  })
})

test.each([
  ['twice as many', 16, 100, 32],
  ['as many as a second allows', 100, 800, 125],
  ['fewer', 200, 8000, 25],
  ['one', 1, 60_000, 1],
  ['no more than a thousand or so', 1024, 0, 1024],
])('a removal of media in pieces goes on with %s', (_, piece, tookMs, next) => {
  expect(nextPiece(piece, tookMs)).toBe(next)
})
