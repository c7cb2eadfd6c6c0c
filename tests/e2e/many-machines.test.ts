import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { startCluster, withoutPostgres, type Cluster } from '../support/postgres.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

let cluster: Cluster

async function until({ child, ended }: Started, isReached: () => boolean): Promise<void> {
  while (!isReached()) {
    if (child.exitCode !== null) throw new Error(`ended too early: ${(await ended).stderr}`)
    await sleep(20)
  }
}

describe.skipIf(withoutPostgres !== '')(`many machines on one store${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.stop())

  test('a process and the server are killed, and the run ends as one in a folder', async () => {
    const server = await spawnFakeOpenai(['--latency', '20', '--answers', '0'])
    onTestFinished(() => server.stop())
    const cwd = await temporaryFolder()
    const task = await writeTextTask(join(cwd, 'task'), 200)
    const store = cluster.address('evals').replace('postgres@', 'postgres:s3cret@')
    const run = (where: string): readonly string[] => [
      ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '8'],
      ...['--model-args', `model=m,base_url=${server.url}`],
    ]
    const answers = (): number => Number(cluster.sql('SELECT count(*) FROM evals.response'))
    const all: string[] = []
    const call = async (...args: readonly string[]) => {
      const end = await runCli(args, { cwd })
      all.push(end.stdout, end.stderr)
      expect(end).toMatchObject({ code: 0 })
      return end.stdout
    }
    const [first, second] = [startCli(run(store), { cwd }), startCli(run(store), { cwd })]
    for (const one of [first, second])
      while ((await server.stats()).inFlight <= 8 && one.child.exitCode === null) await sleep(10)
    await server.allow(60)
    await until(first, () => answers() > 40)
    first.child.kill('SIGKILL')
    await first.ended
    await cluster.kill()
    await server.allow(40)
    await until(second, () => second.told().includes("can't be reached"))
    await cluster.start()
    await server.allow(Infinity)
    const { code, stdout, stderr } = await second.ended
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
    expect(stderr.match(/can't be reached/g)).toHaveLength(1)
    expect(answers()).toBe(200)
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(200)
    // Those in flight of the process that was killed, and those that were sent while the server was away.
    expect(requests - distinct).toBeLessThanOrEqual(16)

    const folder = join(cwd, 'folder')
    await call(...run(folder))
    const dump = await call('report', 'last', '--dump', '--store', folder)
    expect(await call('report', 'last', '--dump', '--store', store)).toBe(dump)
    expect(await call('cache', 'verify', '--store', store)).toContain('no damage')
    expect(await call('runs', '--store', store)).toContain('complete')
    expect(await call('resume', 'last', '--store', store)).toContain('200 from store')
    await call('export', 'last', '--output', join(cwd, 'run.pipeline'), '--store', store)
    await call('import', join(cwd, 'run.pipeline'), '--store', join(cwd, 'other'))
    expect(await call('report', 'last', '--dump', '--store', join(cwd, 'other'))).toBe(dump)
    expect(await call('import', join(cwd, 'run.pipeline'), '--store', store)).toContain('200')

    const rows = cluster.sql('SELECT asked || provenance FROM evals.run')
    for (const text of [...all, stdout, stderr, rows]) expect(text).not.toContain('s3cret')
  })
})
