import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { EvalClient, ServiceError, type JobEvent } from '../../src/service/client/index.js'
import { root } from '../support/cli.js'
import { restartedService, type RestartedService } from '../support/restarted-service.js'

test('pipeline/client is one file that imports nothing', async () => {
  const text = await readFile(join(root, 'dist/program/client.js'), 'utf8')
  expect(text).toMatch(/EvalClient/)
  expect(text).not.toMatch(/^import |\bimport\(|\brequire\(|from ["']/m)
})

describe('the client and a server', () => {
  let service: RestartedService
  let client: EvalClient

  beforeAll(async () => {
    service = await restartedService()
    client = new EvalClient({ baseUrl: service.url })
  })
  afterAll(() => service.stop())

  test('list and describe tasks and models', async () => {
    expect(await client.isHealthy()).toBe(true)
    expect(await client.health()).toMatchObject({ status: 'healthy', queue_size: 0 })
    expect(await client.listTasks('ech*')).toEqual(['echoes'])
    expect(await client.taskInfo('echoes')).toMatchObject({ kind: 'task', config: { output_type: 'generate_until' } })
    expect(await client.listModels()).toContain('dummy')
    expect(await client.modelInfo('dummy')).toMatchObject({ id: 'dummy', origin: 'built-in' })
    await expect(client.taskInfo('none')).rejects.toThrow('404: there is no such task')
  })

  test('a job can be submitted and followed, and its results and samples can be read', async () => {
    const request = { ...service.request, labels: { team: 'vision' } }
    const submitted = await client.evaluate(request, { idempotencyKey: 'one' })
    expect((await client.evaluate(request, { idempotencyKey: 'one' })).job_id).toBe(submitted.job_id)
    const other = client.evaluate(service.request, { idempotencyKey: 'one' })
    await expect(other).rejects.toMatchObject({ status: 422 })

    const job = await client.waitForJob(submitted.job_id, { timeoutMs: 60_000, throwOnFailure: true })
    expect(job).toMatchObject({ status: 'completed', labels: { team: 'vision' }, request: { tasks: ['echoes'] } })
    expect(await client.results(job.job_id)).toMatchObject({ tasks: job.result?.['tasks'] })
    const samples: unknown[] = []
    for await (const sample of client.samples(job.job_id, { pageSize: 5 })) samples.push(sample)
    expect(samples).toHaveLength(12)
    const wrong: unknown[] = []
    for await (const sample of client.runSamples(job.run ?? '', { only: 'wrong', task: 'echoes' })) wrong.push(sample)
    expect(wrong).toHaveLength(4)

    const types: string[] = []
    for await (const { type } of client.events(job.job_id)) types.push(type)
    expect(types.slice(0, 2)).toEqual(['queued', 'started'])
    expect(types.at(-1)).toBe('completed')
    const labelled: string[] = []
    for await (const one of client.jobs({ labels: { team: 'vision' } })) labelled.push(one.job_id)
    expect(labelled).toEqual([job.job_id])
  })

  test('blocking evaluations return the job, and their runs can be compared', async () => {
    const first = await client.evaluate(service.request, { waitSeconds: 60 })
    const second = await client.evaluate({ ...service.request, seed: 7, limit: 6 }, { waitSeconds: 60 })
    expect(first.job).toMatchObject({ status: 'completed' })
    expect(second.job).toMatchObject({ status: 'completed' })
    const [a, b] = [first.job?.run ?? '', second.job?.run ?? '']
    expect(await client.compare(a, b)).toMatchObject({ a: expect.anything() as unknown })
    expect(await client.whyMiss(a, b)).toBeTypeOf('object')
    const runs: string[] = []
    for await (const { id } of client.runs({ pageSize: 1 })) runs.push(id)
    expect(runs).toEqual([b, a])
    expect(await client.run(b)).toMatchObject({ id: b, tasks: ['echoes'] })
    expect(await client.runResults(a)).toMatchObject({ tasks: first.job?.result?.['tasks'] })
  })

  test('a job can be cancelled twice, and a mistake is rejected with all problems', async () => {
    // No other job has these answers, so that the job still runs when it is cancelled.
    const answers = { mode: 'fixed', text: 'perhaps', latency_ms: 1500, num_concurrent: 1 }
    const slow = { ...service.request, model_args: answers }
    const { job_id: id } = await client.evaluate(slow)
    await client.cancelJob(id)
    expect(await client.waitForJob(id, { timeoutMs: 60_000 })).toMatchObject({ status: 'cancelled' })
    expect(await client.cancelJob(id)).toEqual({ message: `Job ${id} cancelled` })
    expect(await client.queue()).toMatchObject({ running_jobs: [], cancelled_jobs: 1 })

    const error = await client.evaluate({ ...service.request, limit: 'many', priority: 1000 }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ServiceError)
    expect(error).toMatchObject({ status: 422, problems: { length: 2 } })
  })
})

test('clients lose no event when a server is killed and restarted', async () => {
  const service = await restartedService(100)
  onTestFinished(() => service.stop())
  const client = new EvalClient({ baseUrl: service.url, retryDelayMs: 50, maxRetries: 20 })
  // About four seconds of work.
  const request = { ...service.request, model_args: { mode: 'echo', latency_ms: 40 }, concurrency: 1 }
  const { job_id: id } = await client.evaluate(request)

  const seen: JobEvent[] = []
  const waiting = client.waitForJob(id, { timeoutMs: 120_000 })
  let kills = 0
  for await (const event of client.events(id)) {
    seen.push(event)
    if (event.type !== 'progress' || kills === 1) continue
    kills += 1
    await service.kill()
    // The request is sent while no server is there.
    const submitted = client.evaluate({ ...service.request, limit: kills }, { idempotencyKey: `between ${kills}` })
    await service.start()
    expect((await submitted).job_id).toMatch(/-/)
  }
  expect(kills).toBe(1)
  expect(await waiting).toMatchObject({ status: 'completed' })
  expect(seen.map(event => event.id)).toEqual(seen.map((_, index) => index + 1))
  expect(seen.at(-1)?.type).toBe('completed')
  const submitted: string[] = []
  for await (const job of client.jobs()) submitted.push(job.job_id)
  expect(new Set(submitted).size).toBe(2)
  expect(submitted).toHaveLength(2)
})
