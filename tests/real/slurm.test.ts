/** Workers as an array job of Slurm, which is started for the test with this machine as its only node. */
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../cache/code/project-root.js'
import { runCli } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { startCluster, withoutPostgres, type Cluster } from '../support/postgres.js'
import { startSlurm, withoutSlurm, type Slurm } from '../support/slurm.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const why = withoutSlurm + withoutPostgres
const docs = 120

/** Waits for Slurm, the server and the workers. */
async function until(isReached: () => boolean | Promise<boolean>, describeState: () => Promise<string>): Promise<void> {
  const end = performance.now() + 120_000
  while (!(await isReached())) {
    if (performance.now() > end) throw new Error(`it takes too long: ${await describeState()}`)
    await sleep(100)
  }
}

describe.skipIf(why !== '')(`workers under Slurm${why}`, () => {
  let cluster: Cluster
  let slurm: Slurm
  beforeAll(async () => {
    cluster = await startCluster()
    slurm = await startSlurm()
  })
  afterAll(async () => {
    await slurm.stop()
    await cluster.stop()
  })

  /** Submits a run and an array job of two workers on it. */
  async function launch(schema: string) {
    const server = await spawnFakeOpenai(['--latency', '20', '--answers', '30'])
    onTestFinished(() => server.stop())
    const cwd = await temporaryFolder()
    const task = await writeTextTask(join(cwd, 'task'), docs)
    const store = cluster.address(schema)
    const program = `${process.execPath} ${join(projectRoot, 'dist/src/cli/bin.js')}`
    const env = { ...slurm.env, OPENAI_API_KEY: 'sk-of-the-job', PIPELINE: program }
    const call = async (...args: readonly string[]): Promise<string> => {
      const end = await runCli(args, { cwd, env })
      expect(end).toMatchObject({ code: 0 })
      return end.stdout + end.stderr
    }
    const line = (where: string): readonly string[] => [
      ...['eval', '--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '8'],
      ...['--model-args', `model=m,base_url=${server.url}`],
    ]
    await call(...line(store), '--detach', '--workers', '2')
    const submitted = await call(
      ...['launch', 'slurm', '--store', store, '--workers', '2', '--cpus', '1', '--memory-gb', '1', '--grace', '30'],
      ...['--allow-dir', join(cwd, 'task'), '--allow-url', new URL(server.url).origin, '--idle', '3', '--submit'],
    )
    const [, job = ''] = /Submitted batch job (\d+)/.exec(submitted) ?? []
    const readLogs = async (): Promise<string> => {
      const names = (await readdir(cwd)).filter(name => name.endsWith('.log'))
      return (await Promise.all(names.map(name => readFile(join(cwd, name), 'utf8')))).join('')
    }
    const isGone = (): boolean => slurm.call('squeue', '--noheader', '--jobs', job).trim() === ''
    const count = (sql: string): number => Number(cluster.sql(`SELECT count(*) FROM ${schema}.${sql}`))
    return { server, cwd, store, call, line, job, readLogs, isGone, count }
  }

  test('a killed worker is restarted, and the run ends like one of a single process', async () => {
    const { server, cwd, store, call, line, readLogs, isGone, count } = await launch('killed')
    await until(() => count('response') >= 30 && count('owner WHERE NOT gone') > 1, readLogs)
    const pid = Number(cluster.sql('SELECT pid FROM killed.job j JOIN killed.owner o ON o.id = j.owner LIMIT 1'))
    process.kill(pid, 'SIGKILL')
    await until(async () => (await readLogs()).includes('attempt 1 of 10'), readLogs)
    await server.allow(Infinity)
    await until(isGone, readLogs)
    expect(count("job WHERE status = 'completed'")).toBe(2)
    const { requests, distinct } = await server.stats()
    expect(distinct).toBe(docs)
    expect(requests - distinct).toBeLessThanOrEqual(8)
    const folder = join(cwd, 'folder')
    await call(...line(folder))
    expect(await call('report', 'last', '--dump', '--store', store)).toBe(
      await call('report', 'last', '--dump', '--store', folder),
    )
    expect(await readLogs()).not.toContain('sk-of-the-job')
  })

  test('the signal before the time limit ends workers after requests in flight are stored', async () => {
    const { server, job, readLogs, isGone, count } = await launch('signalled')
    await until(() => count('response') >= 30, readLogs)
    await until(async () => (await server.stats()).inFlight >= 8, readLogs)
    slurm.call('scancel', '--batch', '--signal=USR1', job)
    await until(async () => (await readLogs()).includes('in flight'), readLogs)
    await server.allow(Infinity)
    await until(isGone, readLogs)
    const { requests, distinct } = await server.stats()
    expect([requests, count('response')]).toEqual([distinct, distinct])
    expect(count("job WHERE status = 'queued'")).toBe(2)
  })
})
