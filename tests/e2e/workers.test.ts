import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { startCluster, withoutPostgres, type Cluster } from '../support/postgres.js'
import { killInTurn, until } from '../support/shared-work.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

/** The number of times that a worker is killed. */
const kills = 6
/** The secret of the submitting command. */
const secret = 'sk-of-the-line'

let cluster: Cluster

/** Prepares a store in a schema of its own, a server that answers nothing yet, and a line that evaluates. */
async function prepare(schema: string, docs: number) {
  const server = await spawnFakeOpenai(['--latency', '20', '--answers', '0'])
  onTestFinished(() => server.stop())
  const cwd = await temporaryFolder()
  const task = await writeTextTask(join(cwd, 'task'), docs)
  const store = cluster.address(schema)
  const all: string[] = []
  const call = async (...args: readonly string[]): Promise<string> => {
    const end = await runCli(args, { cwd })
    all.push(end.stdout, end.stderr)
    expect(end).toMatchObject({ code: 0 })
    return end.stdout
  }
  const line = (where: string): readonly string[] => [
    ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '8'],
    ...['--model-args', `model=m,base_url=${server.url},api_key=${secret}`],
  ]
  const startWorker = (...more: readonly string[]): Started => {
    const worker = startCli(
      [
        ...['worker', '--store', store, '--allow-dir', join(cwd, 'task'), '--model-args', `base_url=${server.url}`],
        ...more,
      ],
      { cwd, env: { OPENAI_API_KEY: 'sk-of-the-worker' } },
    )
    onTestFinished(() => void worker.child.kill('SIGKILL'))
    return worker
  }
  const count = (sql: string): number => Number(cluster.sql(`SELECT count(*) FROM ${schema}.${sql}`))
  const stop = async (worker: Started): Promise<string> => {
    worker.child.kill('SIGTERM')
    const end = await worker.ended
    all.push(end.stdout, end.stderr)
    expect(end).toMatchObject({ code: 0 })
    return end.stderr
  }
  const calmDump = async (): Promise<string> => {
    const folder = join(cwd, 'folder')
    await call(...line(folder))
    return call('report', 'last', '--dump', '--store', folder)
  }
  return { server, store, all, call, line, startWorker, count, stop, calmDump }
}

describe.skipIf(withoutPostgres !== '')(`workers of one store${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.stop())

  test('a run ends like one of a single process, although two workers are killed and suspended', async () => {
    const { server, store, all, call, line, startWorker, count, stop, calmDump } = await prepare('kills', 200)
    const answers = (): number => count('response')
    const printed = JSON.parse(await call(...line(store), '--detach', '--workers', '2', '--json')) as {
      readonly run: string
      readonly jobs: readonly string[]
    }
    expect(printed.jobs).toHaveLength(2)
    // The same command finds the waiting jobs.
    expect(JSON.parse(await call(...line(store), '--detach', '--workers', '2', '--json'))).toEqual({
      ...printed,
      jobs: expect.arrayContaining([...printed.jobs]) as unknown,
    })
    expect(count('job')).toBe(2)
    const both = [startWorker(), startWorker()]
    await until(both[0]!, async () => (await server.stats()).inFlight > 8)
    await killInTurn(both, kills, { server, answers, start: () => startWorker() })
    // SIGTERM: requests in flight are finished, and the job returns to the queue.
    await until(
      both[0]!,
      async () => both.every(one => one.told().includes('job ')) && (await server.stats()).inFlight > 8,
    )
    const stopping = stop(both[0]!)
    await until(both[0]!, () => both[0]!.told().includes('in flight'))
    await server.allow(Infinity)
    expect(await stopping).toContain('back in the queue')
    await until(both[1]!, () => count("job WHERE status = 'completed'") === 2)
    await stop(both[1]!)

    expect(answers()).toBe(200)
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(200)
    // At most those in flight of each process that was killed.
    expect(requests - distinct).toBeLessThanOrEqual(kills * 8)
    expect(await call('report', printed.run, '--dump', '--store', store)).toBe(await calmDump())
    expect(await call('cache', 'verify', '--store', store)).toContain('no damage')
    const rows = cluster.sql('SELECT request FROM kills.job UNION ALL SELECT asked || provenance FROM kills.run')
    for (const text of [...all, rows]) expect(text).not.toMatch(/sk-of/)
    // Nothing is left, so that nothing is submitted.
    expect(JSON.parse(await call(...line(store), '--detach', '--json'))).toMatchObject({ jobs: [] })
  })

  test('a worker ends if the server was restored from a backup, and another one finishes its job', async () => {
    const { server, store, call, line, startWorker, count, stop, calmDump } = await prepare('restored', 60)
    await call(...line(store), '--detach')
    const first = startWorker()
    await until(first, async () => (await server.stats()).inFlight === 8)
    await server.allow(10)
    await until(first, async () => count('response') === 10 && (await server.stats()).inFlight === 8)
    cluster.backUp()
    await server.allow(10)
    await until(first, () => count('response') === 20)
    await cluster.restore()
    await cluster.start()
    const end = await first.ended
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining('lacks what this process stored') as unknown })
    await server.allow(Infinity)
    const second = startWorker()
    await until(second, () => count("job WHERE status = 'completed'") === 1)
    await stop(second)
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(60)
    // Ten answers came after the backup, and eight requests were in flight.
    expect(requests).toBeLessThanOrEqual(60 + 10 + 8)
    expect(await call('report', 'last', '--dump', '--store', store)).toBe(await calmDump())
  })

  test('a run ends like one of a single process if one worker infers and another judges', async () => {
    const { server, store, call, line, startWorker, count, stop, calmDump } = await prepare('stages', 40)
    const { run } = JSON.parse(await call(...line(store), '--detach', '--json')) as { readonly run: string }
    const judging = startWorker('--stages', 'judge', '--jobs', '1')
    const asking = startWorker('--stages', 'input,model')
    await server.allow(Infinity)
    await until(asking, () => asking.told().includes('waits for a worker with the judge stage'))
    expect(asking.told()).not.toContain('completed')
    const judged = await judging.ended
    expect(judged).toMatchObject({ code: 0 })
    expect(judged.stderr).toMatch(/^job \S+: completed$/m)
    await stop(asking)
    expect(count("job WHERE status = 'completed' AND stage = 'judge'")).toBe(1)
    expect((await server.stats()).requests).toBe(40)
    expect(await call('report', run, '--dump', '--store', store)).toBe(await calmDump())
  })

  test('a job stopped by a limit says so after another worker judged its answers', async () => {
    const { server, store, call, line, startWorker, count, stop } = await prepare('limited', 40)
    await server.allow(Infinity)
    const { run } = JSON.parse(await call(...line(store), '--detach', '--max-requests', '7', '--json')) as {
      readonly run: string
    }
    const asking = startWorker('--stages', 'input,model')
    await until(asking, () => asking.told().includes('waits for a worker with the judge stage'))
    const judged = await startWorker('--stages', 'judge', '--jobs', '1').ended
    expect(judged.stderr).toMatch(/^job \S+: failed$/m)
    expect(judged.stderr).toMatch(/Its budget was used up .*7 were sent/)
    expect(count('response')).toBe(7)
    const shown = await call('runs', 'show', run, '--store', store)
    expect(shown).toMatch(/Its budget was used up .*7 were sent/)
    await stop(asking)
  })

  test('a worker that was suspended beyond its lease loses its job, and its late answers change nothing', async () => {
    const { server, store, call, line, startWorker, count, stop, calmDump } = await prepare('late', 60)
    await call(...line(store), '--detach')
    const stopped = startWorker()
    await until(stopped, async () => (await server.stats()).inFlight === 8)
    // In a transaction, it would block the others until the server ends it a minute later.
    await until(stopped, () => {
      stopped.child.kill('SIGSTOP')
      const isFree =
        Number(cluster.sql(`SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'`)) === 0
      if (!isFree) stopped.child.kill('SIGCONT')
      return isFree
    })
    // As the others do after a minute without a heartbeat.
    cluster.sql(`UPDATE late.owner SET gone = true WHERE pid = ${stopped.child.pid ?? 0}`)
    const successor = startWorker()
    await until(successor, async () => (await server.stats()).inFlight === 16)
    await server.allow(Infinity)
    await until(successor, () => count('response') > 8)
    stopped.child.kill('SIGCONT')
    await until(stopped, () => stopped.told().includes('another worker took it over'))
    await until(successor, () => successor.told().includes('completed'))
    await Promise.all([stop(stopped), stop(successor)])
    expect(count("job WHERE status = 'completed'")).toBe(1)
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(60)
    expect(requests - distinct).toBeLessThanOrEqual(8)
    expect(await call('report', 'last', '--dump', '--store', store)).toBe(await calmDump())
  })
})
