import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { startCluster, withoutPostgres, type Cluster } from '../support/postgres.js'
import { seededRandom } from '../support/seeded.js'
import { killInTurn, until } from '../support/shared-work.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

/** The number of times that a process is killed, and that the server is. `npm run test:kills` does it more often. */
const kills = Number(process.env['PIPELINE_TEST_KILLS'] ?? 6)
const restarts = Number(process.env['PIPELINE_TEST_RESTARTS'] ?? 1)
const seed = Number(process.env['PIPELINE_TEST_SEED'] ?? 1)
const docs = 80 + 20 * kills + 40 * (restarts - 1)
/** Each kill and restart starts processes, which takes seconds on a busy machine. */
const patienceMs = 300_000 + 10_000 * (kills + restarts)

let cluster: Cluster

describe.skipIf(withoutPostgres !== '')(`many machines on one store${withoutPostgres}`, () => {
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(() => cluster.stop())

  test(
    'the run ends like one in a folder, although processes and the server are killed',
    async () => {
      const server = await spawnFakeOpenai(['--latency', '20', '--answers', '0'])
      onTestFinished(() => server.stop())
      const cwd = await temporaryFolder()
      const task = await writeTextTask(join(cwd, 'task'), docs)
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
      const start = (): Started => startCli(run(store), { cwd })
      const both = [start(), start()]
      while ((await server.stats()).inFlight <= 8) await sleep(10)
      // One of the two is killed, each time with requests in flight, and started again.
      await killInTurn(both, kills, { server, answers, start, random: seededRandom(seed) })
      await until(both[0]!, () => both.every(one => one.told().includes('resumed')))
      for (let restart = 1; restart <= restarts; restart++) {
        await cluster.kill()
        await server.allow(40)
        await until(both[0]!, () => both.every(one => one.told().split("can't be reached").length > restart))
        await cluster.start()
        await until(both[0]!, () => both.every(one => one.told().split('can be reached again').length > restart))
      }
      await server.allow(Infinity)
      const ended = await Promise.all(both.map(one => one.ended))
      for (const { code, stdout, stderr } of ended) {
        all.push(stdout, stderr)
        expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
        expect(stderr.match(/can't be reached/g)).toHaveLength(restarts)
      }
      expect(answers()).toBe(docs)
      const { requests, distinct } = await server.stats()
      expect(distinct).toBe(docs)
      // At most those in flight of each process that was killed.
      expect(requests - distinct).toBeLessThanOrEqual(kills * 8)

      const folder = join(cwd, 'folder')
      await call(...run(folder))
      const dump = await call('report', 'last', '--dump', '--store', folder)
      expect(await call('report', 'last', '--dump', '--store', store)).toBe(dump)
      expect(await call('cache', 'verify', '--store', store)).toContain('no damage')
      expect(await call('runs', '--store', store)).toContain('complete')
      expect(await call('resume', 'last', '--store', store)).toContain(`${docs.toLocaleString('en')} from store`)
      await call('export', 'last', '--output', join(cwd, 'run.pipeline'), '--store', store)
      await call('import', join(cwd, 'run.pipeline'), '--store', join(cwd, 'other'))
      expect(await call('report', 'last', '--dump', '--store', join(cwd, 'other'))).toBe(dump)
      expect(await call('import', join(cwd, 'run.pipeline'), '--store', store)).toContain(docs.toLocaleString('en'))

      const rows = cluster.sql('SELECT asked || provenance FROM evals.run')
      for (const text of [...all, rows]) expect(text).not.toContain('s3cret')
    },
    patienceMs,
  )

  test('answers that arrive while the server is down wait on disk, and are stored even after a kill', async () => {
    const text = 'a long answer '.repeat(4_000)
    const server = await spawnFakeOpenai(['--latency', '5', '--answers', '0', '--text', text])
    onTestFinished(() => server.stop())
    const cwd = await temporaryFolder()
    const task = await writeTextTask(join(cwd, 'task'), 40)
    const store = cluster.address('waiting', '&waiting_mb=0')
    const run = (where: string): readonly string[] => [
      ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '16'],
      ...['--model-args', `model=m,base_url=${server.url}`],
    ]
    const start = (): Started => {
      const process = startCli(run(store), { cwd })
      onTestFinished(() => void process.child.kill('SIGKILL'))
      return process
    }
    /** Counts the answers in files of this machine, behind the first line of each. */
    const countWaiting = (): number =>
      globSync(join(cwd, '.pipeline', 'waiting-answers', '*', '*.jsonl'))
        .map(file => readFileSync(file, 'utf8').split('\n').length - 2)
        .reduce((sum, lines) => sum + lines, 0)
    const killed = start()
    await until(killed, async () => (await server.stats()).inFlight === 16)
    await cluster.kill()
    await server.allow(8)
    await until(killed, () => countWaiting() === 8)
    // No new requests are sent while the answers wait.
    expect((await server.stats()).requests).toBe(16)
    killed.child.kill('SIGKILL')
    await killed.ended
    await cluster.start()

    const next = start()
    await until(next, async () => (await server.stats()).requests === 16 + 16)
    expect(next.told()).toContain('8 answers that waited for the store when an earlier process ended are stored now')
    expect(cluster.sql('SELECT count(*) FROM waiting.response')).toBe('8\n')
    expect(countWaiting()).toBe(0)
    await cluster.kill()
    await server.allow(10)
    await until(next, () => countWaiting() === 10)
    await cluster.start()
    await server.allow(Infinity)
    expect(await next.ended).toMatchObject({ code: 0 })
    expect(countWaiting()).toBe(0)
    // Only the eight that were in flight without an answer at the kill are sent again.
    expect(await server.stats()).toMatchObject({ requests: 40 + 8, distinct: 40 })
    const folder = join(cwd, 'folder')
    expect(await runCli(run(folder), { cwd })).toMatchObject({ code: 0 })
    const [dump, other] = [store, folder].map(where => runCli(['report', 'last', '--dump', '--store', where], { cwd }))
    expect((await dump)?.stdout).toBe((await other)?.stdout)
  })

  test('killed processes send only the selected docs of a run, and the others stay open', async () => {
    const server = await spawnFakeOpenai(['--latency', '5', '--answers', '0'])
    onTestFinished(() => server.stop())
    const cwd = await temporaryFolder()
    const task = await writeTextTask(join(cwd, 'task'), 40)
    const store = cluster.address('named')
    const run = (where: string): readonly string[] => [
      ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '4'],
      ...['--model-args', `model=m,base_url=${server.url}`],
    ]
    const start = (...args: readonly string[]): Started => {
      const process = startCli(args, { cwd })
      onTestFinished(() => void process.child.kill('SIGKILL'))
      return process
    }
    const kill = async (process: Started): Promise<void> => {
      process.child.kill('SIGKILL')
      await process.ended
    }
    const answers = (): number => Number(cluster.sql('SELECT count(*) FROM named.response'))
    const first = start(...run(store))
    await until(first, async () => (await server.stats()).inFlight === 4)
    await until(first, () => cluster.sql('SELECT sum(finished) FROM named.input_progress') === '1\n')
    await kill(first)
    const named = ['resume', 'last', '--docs', '1?', '--store', store]
    const second = start(...named)
    await until(second, async () => (await server.stats()).requests === 4 + 4)
    const third = start(...named)
    await until(third, () => third.told().includes('waiting for'))
    await kill(second)
    // It takes over what the killed process held.
    await until(third, async () => (await server.stats()).requests === 4 + 4 + 4)
    await server.allow(4)
    await until(third, () => answers() > 0)
    await cluster.kill()
    await until(third, () => third.told().includes("can't be reached"))
    await cluster.start()
    await server.allow(Infinity)
    // The others of the run are open, which the exit code says.
    expect(await third.ended).toMatchObject({ code: 2 })
    const ids =
      "SELECT string_agg(i.doc_id, ' ' ORDER BY i.doc) FROM named.item i JOIN named.response s ON s.request = i.request"
    expect(cluster.sql(ids)).toBe('10 11 12 13 14 15 16 17 18 19\n')
    expect(await runCli(['resume', 'last', '--store', store], { cwd })).toMatchObject({ code: 0 })
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(40)
    // At most those in flight of the two processes that were killed.
    expect(requests).toBeLessThanOrEqual(40 + 8)
    const folder = join(cwd, 'folder')
    expect(await runCli(run(folder), { cwd })).toMatchObject({ code: 0 })
    const dumps = [store, folder].map(where => runCli(['report', 'last', '--dump', '--store', where], { cwd }))
    expect((await dumps[0])?.stdout).toBe((await dumps[1])?.stdout)
  })

  test('no command shows the password of an address', async () => {
    const cwd = await temporaryFolder()
    const task = await writeTextTask(join(cwd, 'task'), 3)
    const store = cluster.address('hidden').replace('postgres@', 'postgres:pw-of-ada@')
    const lines = [
      ...[
        ['eval', '--model', 'dummy', '--tasks', task],
        ['repro', 'last'],
        ['repro', 'last', '--json'],
      ],
      ...[
        ['report', 'last'],
        ['judge', 'last'],
        ['resume', 'last'],
        ['runs', 'show', 'last'],
        ['cache', 'stats'],
      ],
      ['launch', 'slurm'],
    ]
    for (const line of lines) {
      const { code, stdout, stderr } = await runCli([...line, '--store', store], { cwd })
      expect([line, code]).toEqual([line, 0])
      expect(stdout + stderr).not.toContain('pw-of-ada')
    }
  })

  test('at least one of the machines writes the tables of a run, and judge writes them on another one', async () => {
    const server = await spawnFakeOpenai(['--latency', '5'])
    onTestFinished(() => server.stop())
    const machines = await Promise.all([temporaryFolder(), temporaryFolder(), temporaryFolder()])
    const [first, second, third] = machines
    const task = await writeTextTask(join(first, 'task'), 40)
    const store = cluster.address('tables')
    const line = ['eval', '--tasks', task, '--store', store, '--model', 'openai', '--model-args']
    const isSealed = (cwd: string): boolean => globSync('.pipeline/runs/*/manifest.json', { cwd }).length === 1
    const evaluate = (cwd: string) => runCli([...line, `model=m,base_url=${server.url}`], { cwd })
    for (const end of await Promise.all([evaluate(first), evaluate(second)])) expect(end).toMatchObject({ code: 0 })
    expect([first, second].some(isSealed)).toBe(true)
    expect(isSealed(third)).toBe(false)
    expect(await runCli(['judge', 'last', '--store', store], { cwd: third })).toMatchObject({ code: 0 })
    expect(isSealed(third)).toBe(true)
  })
})
