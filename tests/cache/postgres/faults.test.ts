import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { processOwner } from '../../../base/processes/process-identity.js'
import { parseAddress } from '../../../cache/postgres/connection/address.js'
import { Database } from '../../../cache/postgres/connection/database.js'
import { openServer } from '../../../cache/postgres/connection/pool.js'
import { openPostgresStore } from '../../../cache/postgres/connection/open-postgres-store.js'
import type { PostgresStore } from '../../../cache/postgres/postgres-store.js'
import type { Store } from '../../../cache/store.js'
import { shareLimit, type SharedLimit } from '../../../stages/model/schedule/limits/shared-limit.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { startNetwork } from '../../support/network.js'
import { startCluster, withoutPostgres, type Cluster } from '../../support/postgres.js'
import { grow, mount, mountSmallDisk } from '../../support/small-disk.js'
import { openStore } from '../../../cache/open.js'
import { answer, temporaryFolder } from '../../support/store.js'
import { answerAll, askedRun, leaseAll } from '../../support/store-conformance/scene.js'

/** What the network, the disk and the clocks do to processes that share a store. */
describe.skipIf(withoutPostgres !== '')(`faults around a store on PostgreSQL${withoutPostgres}`, () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ isWorkingDirectory: true })
  })
  afterAll(() => cluster.stop())

  /** Opens a store as a process of its own. */
  async function opened(
    address: string,
  ): Promise<PostgresStore & { readonly told: readonly string[]; readonly pid: number }> {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' })
    const told: string[] = []
    const pid = child.pid ?? 0
    const self = processOwner(pid)
    const store = await openPostgresStore(address, {
      access: 'write',
      self,
      waiting: { tell: line => told.push(line) },
    })
    onTestFinished(async () => {
      await store.close().catch(() => undefined)
      child.kill('SIGKILL')
    })
    return Object.assign(store, { told, pid })
  }

  async function behindNetwork(schema: string) {
    const network = await startNetwork(cluster.port)
    onTestFinished(() => network.close())
    const address = cluster.address(schema)
    const far = await opened(address.replace(`:${cluster.port}/`, `:${network.port}/`))
    return { network, far, near: await opened(address) }
  }

  test('a process that is cut off beyond its lease: others answer its requests, and its late answers change nothing', async () => {
    const { network, far, near } = await behindNetwork('partition')
    const run = await askedRun(near, 4)
    const leases = await leaseAll(far, run)
    await answer(far, leases[0]!, 'in time')
    network.cut()
    const late = Promise.all(leases.slice(1).map(lease => answer(far, lease, 'late')))
    await vi.waitFor(() => expect(far.told.join()).toContain("can't be reached"), { timeout: 60_000 })
    // A minute of silence; the server is restarted meanwhile, which gives the others no lease.
    await cluster.kill()
    await cluster.start()
    expect(await leaseAll(near, run)).toEqual([])
    cluster.sql(`UPDATE partition.owner SET gone = true WHERE pid = ${far.pid}`)
    await answerAll(near, run)
    network.heal()
    expect(await late).toEqual([false, false, false])
    expect(await near.runs.counts(run)).toMatchObject({ answered: 4, pending: 0 })
    expect(cluster.sql("SELECT count(*) FROM partition.response WHERE body LIKE '%late%'")).toBe('0\n')
    expect((await near.upkeep.verify({ repair: false })).damaged).toEqual([])
  })

  test('a process that was cut off until a restored server has written more than before is told that its answer is lost', async () => {
    const { network, far } = await behindNetwork('restored')
    const run = await askedRun(far, 3)
    const [first, second] = await leaseAll(far, run)
    cluster.backUp()
    await answer(far, first!, 'lost')
    network.cut()
    const late = answer(far, second!, 'late').catch((error: unknown) => error)
    await vi.waitFor(() => expect(far.told.join()).toContain("can't be reached"), { timeout: 60_000 })
    await cluster.restore()
    await cluster.start()
    cluster.sql("SELECT pg_logical_emit_message(true, 'more', repeat('x', 10000000))")
    network.heal()
    expect(await late).toMatchObject({ message: expect.stringContaining('lacks what this process stored') as unknown })
    expect(cluster.sql('SELECT count(*) FROM restored.response')).toBe('0\n')
  })

  test('a commit whose confirmation is lost counts once, and as stored', async () => {
    const { network, far, near } = await behindNetwork('halfopen')
    const run = await askedRun(near, 2)
    const leases = await leaseAll(far, run)
    network.muffleAfter('COMMIT')
    const stored = Promise.all(leases.map(lease => answer(far, lease, 'yes')))
    await vi.waitFor(async () => expect((await near.runs.counts(run)).answered).toBe(2), { timeout: 60_000 })
    network.cut()
    network.heal()
    expect(await stored).toEqual([true, true])
    expect(await near.runs.counts(run)).toMatchObject({ answered: 2, pending: 0 })
  })

  test('a connection that is lost without a sign is replaced, and one whose statement takes long is not', async () => {
    const { network, far, near } = await behindNetwork('silent')
    const run = await askedRun(near, 2)
    const leases = await leaseAll(far, run)
    const server = await openServer(parseAddress(cluster.address('silent')), { readOnly: false })
    const db = new Database('silent', server, {})
    onTestFinished(() => db.close())
    let attempts = 0
    const slept = db.read(async query => {
      attempts += 1
      return query('SELECT pg_sleep(20)')
    })
    network.muffleAfter('COMMIT')
    const stored = Promise.all(leases.map(lease => answer(far, lease, 'yes')))
    await vi.waitFor(async () => expect((await near.runs.counts(run)).answered).toBe(2), { timeout: 60_000 })
    // New connections work. The old one stays open and says nothing.
    network.heal()
    expect(await stored).toEqual([true, true])
    expect(far.told).toEqual([])
    expect(await near.runs.counts(run)).toMatchObject({ answered: 2, pending: 0 })
    expect(await slept).toHaveLength(1)
    expect(attempts).toBe(1)
  })

  test('a process whose clock is an hour off keeps its leases and its part of a rate limit', async () => {
    const address = cluster.address('clock')
    const [right, wrong] = [await opened(address), await opened(address)]
    const run = await askedRun(right, 2)
    const tell = (store: Store, member: string) =>
      store.values.update('shared', (known, now) => {
        const report = { member, accepted: 50, isHungry: true, isExceeded: false, learned: 100 }
        const { limit, grant } = shareLimit(known as SharedLimit | undefined, report, now)
        return { value: JSON.parse(JSON.stringify(limit)) as Json, told: grant }
      })
    const inTheFuture = async <T>(work: () => Promise<T>): Promise<T> => {
      const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000)
      return work().finally(() => clock.mockRestore())
    }
    const leases = await inTheFuture(() => leaseAll(wrong, run))
    expect(leases).toHaveLength(2)
    expect(await leaseAll(right, run)).toEqual([])
    await tell(right, 'right')
    expect(await inTheFuture(() => tell(wrong, 'wrong'))).toMatchObject({ members: 2 })
    expect(await tell(right, 'right')).toMatchObject({ members: 2, rate: 50 })
    expect(await inTheFuture(() => tell(wrong, 'wrong'))).toMatchObject({ members: 2, rate: 50 })
    expect(await inTheFuture(() => answer(wrong, leases[0]!, 'yes'))).toBe(true)
  })

  test('a process that finds no free connection waits until another one ends', async () => {
    await (await opened(cluster.address('crowded'))).close()
    cluster.sql('CREATE ROLE crowded LOGIN CONNECTION LIMIT 1; GRANT ALL ON SCHEMA crowded TO crowded')
    cluster.sql(
      'GRANT ALL ON ALL TABLES IN SCHEMA crowded TO crowded; GRANT ALL ON ALL SEQUENCES IN SCHEMA crowded TO crowded',
    )
    const address = cluster.address('crowded').replace('postgres@', 'crowded@')
    const first = await opened(address)
    const second = opened(address)
    await new Promise(resolve => setTimeout(resolve, 500))
    await first.close()
    expect(await (await second).runs.list()).toEqual([])
  })

  test('a disk of the server that stalls for longer than a lease takes no lease from those that wait', async () => {
    serverStartedLongAgo()
    const address = cluster.address('stalled')
    const [far, near] = [await opened(address), await opened(address)]
    const run = await askedRun(near, 2)
    const [lease] = await leaseAll(far, run)
    cluster.sql(`UPDATE stalled.owner SET seen = seen - interval '2 minutes' WHERE pid = ${far.pid}`)
    cluster.stall()
    const beat = near.probe()
    await vi.waitFor(() => expect(cluster.countStalled()).toBe(1), { timeout: 60_000 })
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 120_000)
    cluster.endStall()
    await beat
    clock.mockRestore()
    expect(await leaseAll(near, run)).toEqual([])
    expect(await answer(far, lease!, 'after the stall')).toBe(true)
  })

  test('an import begins again after the server was away, and ends like one without a fault', async () => {
    const { network, far, near } = await behindNetwork('copied')
    const folder = await openStore(await temporaryFolder())
    onTestFinished(() => folder.close())
    const run = await askedRun(folder, 4)
    await answerAll(folder, run)
    const exported = await folder.exportRun(run)
    let cuts = 0
    const from = {
      ...exported,
      responses: async function* () {
        if (cuts === 0) {
          cuts += 1
          network.cut()
        }
        yield* exported.responses()
      },
    }
    const imported = far.importRun(from, 'refuse')
    await vi.waitFor(() => expect(far.told.join()).toContain("can't be reached"), { timeout: 60_000 })
    network.heal()
    const outcome = await imported
    expect(outcome).toMatchObject({ isNew: true, added: { responses: 4 } })
    expect(await near.runs.counts(outcome.run)).toMatchObject({ answered: 4, pending: 0 })
    expect((await near.upkeep.verify({ repair: false })).damaged).toEqual([])
  })

  const withoutDisk = mountSmallDisk('1m')
  test.skipIf(withoutDisk !== undefined)(
    'a full disk of the server is named, and what was answered before and after is kept',
    async () => {
      const disk = join(cluster.folder, 'server', 'small')
      mkdirSync(disk)
      mount(disk, '100m')
      const place = join(disk, 'space')
      mkdirSync(place)
      chmodSync(disk, 0o755)
      giveToServer(place, join(cluster.folder, 'server', 'data'))
      cluster.sql(`CREATE TABLESPACE small LOCATION '${place}'`)
      cluster.sql('CREATE DATABASE small TABLESPACE small')
      onTestFinished(() => {
        cluster.sql('DROP DATABASE small WITH (FORCE)')
        cluster.sql('DROP TABLESPACE small')
      })
      const store = await opened(cluster.address('small').replace('/postgres?', '/small?'))
      const run = await askedRun(store, 100)
      const leases = await leaseAll(store, run)
      let kept = 0
      const fill = async (): Promise<void> => {
        for (const lease of leases.slice(kept)) {
          await answer(store, lease, randomText())
          kept += 1
        }
      }
      await expect(fill()).rejects.toThrow(/has no space left .*free some space at the server/)
      expect((await store.runs.counts(run)).answered).toBe(kept)
      // Its answers are the first ones, since a stored answer is never replaced.
      const refused = leases.slice(kept, kept + 3)
      for (const lease of refused)
        await answer(store, lease, `${lease.item.doc} ${randomText()}`).catch(() => undefined)
      grow(disk, '400m')
      await store.close()
      const next = await opened(cluster.address('small').replace('/postgres?', '/small?'))
      expect(next.told).toEqual(['3 answers that waited for the store when an earlier process ended are stored now.'])
      expect(await next.runs.counts(run)).toMatchObject({ answered: kept + 3, pending: 97 - kept })
      await answerAll(next, run)
      expect(await next.runs.counts(run)).toMatchObject({ answered: 100, pending: 0 })
      await next.close()
    },
  )
})

/** Lets statements see a server that has run for an hour. The silence of processes counts from the server's start. */
function serverStartedLongAgo(): void {
  const query = Reflect.get(pg.Client.prototype, 'query') as (...args: readonly unknown[]) => void
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: readonly unknown[]) {
    const [text, ...others] = args
    const old =
      typeof text === 'string' ? text.replaceAll('pg_postmaster_start_time()', "(now() - interval '1 hour')") : text
    return query.call(this, old, ...others)
  })
  onTestFinished(() => void vi.restoreAllMocks())
}

/** A megabyte that cannot be compressed. */
const randomText = (): string => randomBytes(750_000).toString('base64')

/** Gives a folder to the owner of the server's files. */
function giveToServer(folder: string, like: string): void {
  const { uid, gid } = statSync(like)
  chownSync(folder, uid, gid)
}
