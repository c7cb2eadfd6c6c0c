/** The command line, the viewer and `/metrics` show the same facts of workers and of the queue. */
import { expect, test } from 'vitest'
import { WatchedRuns } from '../../../src/reading/progress/watched-runs.js'
import { readWork } from '../../../src/reading/workers/work-facts.js'
import { overviewJson } from '../../../src/present/json/overview-json.js'
import { storePages } from '../../../src/service/viewer/store-pages.js'
import { appScene } from '../service/http/scene.js'
import { claimed, submitted } from '../../support/store-conformance/job-scene.js'
import { askedRun, leaseAll } from '../../support/store-conformance/scene.js'
import { MemoryData } from '../../support/memory-data.js'
import { MemoryStore } from '../../support/memory-store.js'
import { answer } from '../../support/store.js'

test('each surface shows workers with their rate, work and silence, and what waits', async () => {
  const { service, request } = await appScene()
  const { store } = service
  const run = await askedRun(store, 5)
  const leases = await leaseAll(store, run)
  for (const lease of leases.slice(0, 2)) await answer(store, lease, 'yes')
  await submitted(store)
  const { id } = await submitted(store, { priority: 1 })
  const lease = await claimed(store)
  await store.jobs.release(lease, { nextStage: 'judge' })
  await store.jobs.decline(id, 'no key here')
  await store.probe()

  const { workers, queue } = await readWork(store, Date.now() + 60_000)
  expect(lease.job.id).toBe(id)
  expect(workers).toMatchObject([
    { items: 3, answers: 2, isStale: false, runs: [run.ref], runNames: [run.name], jobs: [] },
  ])
  expect(queue).toMatchObject({ jobs: 2, byStage: { input: 1, judge: 1 }, declined: [{ id, why: ['no key here'] }] })
  expect(queue.oldestMs).toBeGreaterThanOrEqual(60_000)

  const shown = { requests: 3, answers: 2, stale: false, pid: workers[0]?.pid }
  const [watched] = await new WatchedRuns(store, { now: () => Date.now() }).look()
  const line = overviewJson(watched!) as { readonly workers: readonly { readonly answers_per_second: number }[] }
  const waits = { jobs: 2, by_next_stage: { input: 1, judge: 1 }, declined: [{ job: id, why: ['no key here'] }] }
  expect(line).toMatchObject({ workers: [shown], queue: waits })
  const perSecond = line.workers[0]?.answers_per_second ?? 0
  expect(perSecond).toBeGreaterThan(0)
  expect(await storePages(store).work()).toMatchObject({
    workers: [{ ...shown, runs: [run.name], answers_per_second: perSecond }],
    queue: waits,
  })
  const metrics = await (await request('/metrics')).text()
  const labels = `{host="${workers[0]?.host}",pid="${workers[0]?.pid}"}`
  const read = (name: string): number => Number(metrics.split(`\n${name} `)[1]?.split('\n')[0])
  expect(read(`pipeline_worker_answers_per_second${labels}`)).toBeCloseTo(perSecond, 1)
  expect(read(`pipeline_worker_leased_requests${labels}`)).toBe(3)
  expect(read(`pipeline_worker_answers${labels}`)).toBe(2)
  expect(read(`pipeline_worker_silent_seconds${labels}`)).toBeLessThan(30)
  expect(read('pipeline_workers_stale')).toBe(0)
  expect(read('pipeline_jobs_waiting{stage="judge"}')).toBe(1)
  expect(read('pipeline_oldest_queued_seconds')).toBeGreaterThanOrEqual(0)
})

test('a killed worker is stale, with its leases and without a rate, until another takes over', async () => {
  const data = new MemoryData()
  const [store, killed] = [new MemoryStore(data), new MemoryStore(data, 'killed')]
  const run = await askedRun(store, 5)
  const leases = await leaseAll(killed, run)
  await answer(killed, leases[0]!, 'yes')
  data.kill('killed')
  expect((await readWork(store, 0)).workers).toMatchObject([{ items: 4, answers: 1, perSecond: 0, isStale: true }])
  const [watched] = await new WatchedRuns(store, { named: [run], now: () => 0 }).look()
  expect(watched).toMatchObject({ overview: { state: 'incomplete' }, workers: [{ items: 4, isStale: true }] })
  await leaseAll(store, run)
  expect((await readWork(store, 0)).workers).toMatchObject([{ items: 4, isStale: false }])
})
