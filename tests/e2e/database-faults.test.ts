import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { startCluster, withoutPostgres, type Cluster } from '../support/postgres.js'
import { until } from '../support/shared-work.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

let cluster: Cluster

/** Prepares a store in a schema of its own, and a line that sends eight requests at once to a server that answers nothing yet. */
async function prepare(schema: string, docs: number) {
  const server = await spawnFakeOpenai(['--latency', '5', '--answers', '0'])
  onTestFinished(() => server.stop())
  const cwd = await temporaryFolder()
  const task = await writeTextTask(join(cwd, 'task'), docs)
  const store = cluster.address(schema)
  const line = (where: string): readonly string[] => [
    ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '8'],
    ...['--model-args', `model=m,base_url=${server.url}`],
  ]
  const start = (args: readonly string[] = line(store)): Started => {
    const process = startCli(args, { cwd, env: { OPENAI_API_KEY: 'key' } })
    onTestFinished(() => void process.child.kill('SIGKILL'))
    return process
  }
  const call = async (...args: readonly string[]): Promise<string> => {
    const end = await runCli(args, { cwd })
    expect(end).toMatchObject({ code: 0 })
    return end.stdout
  }
  const count = (sql: string): number => Number(cluster.sql(`SELECT count(*) FROM ${schema}.${sql}`))
  /** Expects the results of an undisturbed run in a folder, and an undamaged store. */
  const expectCalm = async (): Promise<void> => {
    const folder = join(cwd, 'folder')
    await call(...line(folder))
    const dump = await call('report', 'last', '--dump', '--store', folder)
    expect(await call('report', 'last', '--dump', '--store', store)).toBe(dump)
    expect(await call('cache', 'verify', '--store', store)).toContain('no damage')
  }
  return { server, cwd, store, start, call, count, expectCalm }
}

describe.skipIf(withoutPostgres !== '')(`faults of the database${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.stop())

  test('processes say that the server was restored from a backup, and the same command sends again what was lost', async () => {
    const { server, start, count, expectCalm } = await prepare('restored', 60)
    const both = [start(), start()]
    await until(both[0]!, async () => (await server.stats()).inFlight === 16)
    await server.allow(10)
    await until(both[0]!, async () => count('response') === 10 && (await server.stats()).inFlight === 16)
    cluster.backUp()
    await server.allow(20)
    await until(both[0]!, () => count('response') === 30)
    await cluster.restore()
    await cluster.start()
    for (const { code, stderr } of await Promise.all(both.map(({ ended }) => ended))) {
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('lacks what this process stored') as unknown,
      })
    }
    await server.allow(Infinity)
    expect(await start().ended).toMatchObject({ code: 0 })
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(60)
    // Twenty answers came after the backup, and each process had eight requests in flight.
    expect(requests).toBeLessThanOrEqual(60 + 20 + 16)
    await expectCalm()
  })

  test('commits that take long and a disk that stalls lose nothing, and no request is sent twice', async () => {
    const { server, start, count, expectCalm } = await prepare('slow', 60)
    const both = [start(), start()]
    await until(both[0]!, async () => (await server.stats()).inFlight === 16)
    await server.allow(5)
    await until(both[0]!, async () => count('response') === 5 && (await server.stats()).inFlight === 16)
    // Each answer and heartbeat is written under a lock that is held until a slow disk has its commit.
    cluster.sql(`
      CREATE FUNCTION slow.take_long() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER long AFTER UPDATE ON slow.counter DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow.take_long();
      CREATE CONSTRAINT TRIGGER long AFTER UPDATE ON slow.owner DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow.take_long()`)
    await server.allow(15)
    await until(both[0]!, async () => count('response') === 20 && (await server.stats()).inFlight === 16)
    cluster.stall()
    await server.allow(10)
    await until(both[0]!, async () => cluster.countStalled() > 0 && (await server.stats()).inFlight < 16)
    cluster.endStall()
    await server.allow(Infinity)
    for (const { ended } of both) expect(await ended).toMatchObject({ code: 0 })
    expect(await server.stats()).toMatchObject({ requests: 60, distinct: 60 })
    await expectCalm()
  })
})
