/** Faults around the service: a full disk, a locked store, a worker that is stopped. Jobs go on when the fault has passed. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { databaseName } from '../../cache/sqlite/connection/database.js'
import { startService, yesTask, type RunningService } from '../support/service.js'
import { grow, mount, mountSmallDisk } from '../support/small-disk.js'
import { temporaryFolder } from '../support/store.js'

const job = { model: 'dummy', model_args: { mode: 'fixed', text: 'yes' }, tasks: 'yes_task' }

interface Health {
  readonly status: string
  readonly problems: readonly string[]
  readonly workers: { readonly deaths: number }
}

const healthOf = async (service: RunningService): Promise<Health> =>
  (await (await service.request('/health')).json()) as Health

const statusOf = async (service: RunningService, id: string): Promise<string> =>
  (await service.json<{ readonly status: string }>(`/jobs/${id}`)).status

const mounted = mountSmallDisk('8m')
test.skipIf(mounted !== undefined)(
  `a temporarily full disk ends workers, is reported by /health, and loses no job (${mounted ?? 'on a small tmpfs'})`,
  async () => {
    const folder = await temporaryFolder()
    const disk = join(folder, 'disk')
    await mkdir(disk)
    mount(disk, '8m')
    const tasks = await yesTask(folder, 20_000)
    const store = join(disk, 'store')
    await using service = await startService(['--store', store, '--include-path', tasks, '--max-jobs', '1'])
    const { job_id: id } = await service.json<{ readonly job_id: string }>('/evaluate', { json: job })
    await expect.poll(async () => (await healthOf(service)).workers.deaths, { timeout: 60_000 }).toBeGreaterThan(0)
    expect(await healthOf(service)).toMatchObject({ status: expect.stringMatching(/degraded|unhealthy/) as string })
    expect(service.told()).toContain('no space left on the disk of the store')
    grow(disk, '400m')
    await expect.poll(() => statusOf(service, id), { timeout: 120_000, interval: 200 }).toBe('completed')
    await expect.poll(async () => (await healthOf(service)).status, { timeout: 20_000 }).toBe('healthy')
    const next = await service.json<{ readonly job: { readonly status: string } }>('/evaluate', {
      json: { ...job, limit: 3 },
      headers: { prefer: 'wait=60' },
    })
    expect(next.job.status).toBe('completed')
  },
)

test('reports a locked store within seconds, and accepts no rejected job later', async () => {
  const folder = await temporaryFolder()
  const tasks = await yesTask(folder, 2)
  const store = join(folder, 'store')
  await using service = await startService(['--store', store, '--include-path', tasks, '--max-jobs', '1'])
  const other = new Database(join(store, databaseName))
  other.exec('BEGIN IMMEDIATE')
  const refused = await service.request('/evaluate', { json: job })
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('locked by another process') as string })
  const cancelled = await service.request('/jobs/00000000-0000-4000-8000-000000000000', { method: 'DELETE' })
  expect(cancelled.status).toBe(404)
  const unwell = await service.request('/health')
  expect([unwell.status, await unwell.json()]).toMatchObject([503, { status: 'unhealthy' }])
  other.exec('COMMIT')
  other.close()
  await expect.poll(async () => (await healthOf(service)).status, { timeout: 20_000 }).toBe('healthy')
  const { jobs } = await service.json<{ readonly jobs: readonly unknown[] }>('/jobs')
  expect(jobs).toEqual([])
})
