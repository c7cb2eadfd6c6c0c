import { expect, onTestFinished, test, vi } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import type { WorkersState } from '../../../src/service/jobs/worker-pool.js'
import { readHealth, StoreProbe } from '../../../src/service/health.js'
import { appScene } from './http/scene.js'

const idle: WorkersState = { size: 2, busy: 0, deaths: 0 }
const failing = (reason?: 'store-full' | 'store-locked' | 'store-unsynced') => ({
  probe: () => Promise.reject(new PipelineError('store', 'at /secret/path', { reason })),
})

test.each([
  ['store-full', 'no space left on the disk of the store; jobs continue when there is some'],
  [
    'store-unsynced',
    'the disk of the store did not confirm what was written: free space on it or repair it, then restart the service',
  ],
  ['store-locked', 'the store is locked by another process; the log of the server names it'],
  [undefined, 'the store cannot be used now; the log of the server says why'],
] as const)('a store that rejects writes (%s) makes the service unhealthy', async (reason, problem) => {
  const { service } = await appScene()
  const health = await readHealth({ store: service.store, workers: () => idle, probe: new StoreProbe(failing(reason)) })
  expect(health).toMatchObject({ status: 'unhealthy', problems: [problem], queued: 0 })
})

test('workers that end again and again make it unhealthy', async () => {
  const { service } = await appScene()
  const workers = { ...idle, failure: 'error: at /secret/path' }
  const { status, problems } = await readHealth({ ...service, workers: () => workers })
  expect([status, problems]).toEqual(['unhealthy', ['workers end again and again; the log of the server says why']])
})

test('jobs that wait long for a worker make it degraded, with the age of the oldest', async () => {
  const { service, submit } = await appScene()
  expect((await submit({ model: 'dummy', tasks: ['mmmu_val'] })).status).toBe(200)
  const early = await readHealth({ ...service, workers: () => ({ ...idle, busy: 2, noneFreeMs: 599_000 }) })
  expect(early).toMatchObject({ status: 'healthy', problems: [], queued: 1 })
  expect(early.oldestQueuedSeconds).toBeGreaterThanOrEqual(0)
  const late = await readHealth({ ...service, workers: () => ({ ...idle, busy: 2, noneFreeMs: 720_000 }) })
  expect(late).toMatchObject({
    status: 'degraded',
    problems: ['no worker was free for 12 min; 1 jobs wait (--max-jobs)'],
  })
})

test('a job that workers have left to others for ten minutes degrades it, and the job says why', async () => {
  const { service, submit, request } = await appScene()
  const { job_id: id } = (await (await submit({ model: 'dummy', tasks: ['mmmu_val'] })).json()) as { job_id: string }
  await service.store.jobs.decline(id, '/secret/path is not in --allow-dir')
  expect(await readHealth(service)).toMatchObject({ status: 'healthy' })
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 720_000)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await readHealth(service)).toMatchObject({
    status: 'degraded',
    problems: [
      'the oldest job waits for 12 min, and workers left 1 job to others; declined_because of the job says why',
    ],
  })
  const job = (await (await request(`/jobs/${id}`)).json()) as object
  expect(job).toMatchObject({ declined_because: ['/secret/path is not in --allow-dir'] })
})

test('runs one probe at a time, and caches its result for five seconds', async () => {
  let [probes, now] = [0, 0]
  const probe = new StoreProbe({ probe: () => Promise.resolve(void (probes += 1)) }, () => now)
  expect(await Promise.all([probe.problem(), probe.problem()])).toEqual([undefined, undefined])
  now = 4999
  await probe.problem()
  expect(probes).toBe(1)
  now = 5000
  await probe.problem()
  expect(probes).toBe(2)
})

test('/health returns status 503 with a retry time', async () => {
  const { service, request } = await appScene()
  const fine = await request('/health')
  expect([fine.status, await fine.json()]).toMatchObject([200, { status: 'healthy', queue_size: 0, problems: [] }])
  Object.assign(service, { probe: new StoreProbe(failing('store-full')) })
  const full = await request('/health')
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await full.json()).toMatchObject({ status: 'unhealthy', disk_free_bytes: expect.any(Number) as number })
})

test('/metrics contains the metrics for alerts', async () => {
  const { service, request, submit } = await appScene()
  expect((await submit({ model: 'dummy', tasks: ['mmmu_val'] })).status).toBe(200)
  Object.assign(service, { workers: () => ({ ...idle, deaths: 3 }) })
  service.jobSeconds.add(90_000)
  const usage = { run: 'r1', model: 'openai m', answered: 3, failed: { refused: 2 }, inputTokens: 30, outputTokens: 9 }
  service.modelUsage.add(usage)
  const text = await (await request('/metrics')).text()
  const lines = [
    /^pipeline_oldest_queued_seconds [\d.e-]+$/m,
    /^pipeline_worker_deaths 3$/m,
    /^pipeline_disk_free_bytes [1-9]\d+$/m,
    /^pipeline_healthy 1$/m,
    /^pipeline_build_info\{version=".+"\} 1$/m,
    /^pipeline_job_duration_seconds_bucket\{le="300"\} 1$/m,
    /^pipeline_job_duration_seconds_sum 90$/m,
    /^pipeline_model_requests_total\{model="openai m"\} 3$/m,
    /^pipeline_model_failures_total\{model="openai m",class="refused"\} 2$/m,
    /^pipeline_model_tokens_total\{model="openai m",direction="input"\} 30$/m,
    /^pipeline_model_tokens_total\{model="openai m",direction="output"\} 9$/m,
  ]
  for (const line of lines) expect(text).toMatch(line)
})
