import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type PoolSettings, WorkerPool } from '../../../../src/service/jobs/worker-pool.js'
import { root } from '../../../support/cli.js'
import { temporaryFolder } from '../../../support/store.js'

interface Scene {
  readonly pool: WorkerPool
  readonly told: readonly string[]
  /** The process that started last. */
  readonly newest: () => number
}

/** A pool for one waiting job, whose workers do what `does` says. */
async function poolScene(does: string, program = 'tests/support/fake-worker.mjs'): Promise<Scene> {
  const mark = join(await temporaryFolder(), 'mark')
  const told: string[] = []
  const pool = new WorkerPool({
    program: join(root, program),
    args: [does, mark],
    size: 1,
    jobs: { counts: () => Promise.resolve({ queued: 2, running: 0, completed: 0, failed: 0, cancelled: 0 }) },
    tell: line => void told.push(line),
    hungMs: 1500,
  })
  onTestFinished(() => pool.close())
  pool.start()
  return { pool, told, newest: () => Number(readFileSync(mark, 'utf8')) }
}

const within = { timeout: 20_000 }

test('ends and replaces a worker that sends no heartbeat', async () => {
  const { pool, told, newest } = await poolScene('hang')
  await expect.poll(() => pool.state.busy, within).toBe(1)
  const [hung] = pool.pids
  await expect.poll(() => pool.pids.length === 1 && pool.pids[0] !== hung && pool.state.busy, within).toBe(1)
  expect(newest()).toBe(pool.pids[0])
  expect(told[0]).toBe(`worker ${hung} gave no sign for 2 s, so it is ended`)
  expect(pool.state).toMatchObject({ size: 1, deaths: 1 })
  expect(pool.state.failure).toBeUndefined()
})

test('replaces a worker that ends with an error', async () => {
  const { pool, told } = await poolScene('fail-once')
  await expect.poll(() => pool.state.busy, within).toBe(1)
  expect(pool.state.deaths).toBe(1)
  expect(told.join('\n')).toMatch(/^error: no space left\nworker \d+ ended \(exit code 1\); its job is taken up again$/)
})

test('reports workers that keep ending, with the last message', async () => {
  const { pool } = await poolScene('fail')
  await expect.poll(() => pool.state.failure, within).toBe('error: no space left')
  expect(pool.state.busy).toBe(0)
})

test('a program that cannot be started leaves no worker', async () => {
  const { pool } = await poolScene('live', 'tests/support/no-such-file.mjs')
  await expect.poll(() => pool.state.failure, within).toBeDefined()
  expect(pool.pids).toEqual([])
})

test('measures the time without a free worker while jobs wait', async () => {
  const { pool } = await poolScene('live')
  await expect.poll(() => pool.state.noneFreeMs, within).toBeGreaterThan(0)
})

test('tells once of each outage of the queue, and starts workers after it', async () => {
  const told: string[] = []
  const pool = new WorkerPool({
    program: join(root, 'tests/support/fake-worker.mjs'),
    args: ['live', join(await temporaryFolder(), 'mark')],
    size: 1,
    jobs: outages([2, 1]),
    tell: line => void told.push(line),
  })
  onTestFinished(() => pool.close())
  pool.start()
  await expect.poll(() => told.length, within).toBe(2)
  await expect.poll(() => pool.state.busy, within).toBe(1)
  for (const line of told) expect(line).toMatch(/^the queue of jobs can't be read, .*: no disk$/)
})

/** A queue that fails as often in a row as each number says, with one look that finds no job between, and has a job at the end. */
function outages(failures: readonly number[]): PoolSettings['jobs'] {
  const looks = failures.flatMap(count => [...Array.from({ length: count }, () => 'fails'), 'empty'])
  return {
    counts: () => {
      const look = looks.shift()
      if (look === 'fails') return Promise.reject(new Error('no disk'))
      return Promise.resolve({ queued: look === undefined ? 1 : 0, running: 0, completed: 0, failed: 0, cancelled: 0 })
    },
  }
}
