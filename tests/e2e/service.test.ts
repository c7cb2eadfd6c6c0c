/** The service as clients see it: jobs from submission to result, over a real socket. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/cli.js'
import { eventsOf, startService, yesTask, type RunningService } from '../support/service.js'

interface Submitted {
  readonly job_id: string
  readonly status: string
  readonly position_in_queue: number
  readonly job?: JobInfo
}

interface JobInfo {
  readonly job_id: string
  readonly status: string
  readonly error: string | null
  readonly position_in_queue: number | null
  readonly run: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly result: {
    readonly tasks: Readonly<Record<string, Readonly<Record<string, { readonly value: number; readonly n: number }>>>>
    readonly session: { readonly asked: number; readonly from_store: number }
  } | null
}

const docs = 12
const yes = { model: 'dummy', model_args: { mode: 'fixed', text: 'yes' }, tasks: ['yes_task'] }
/** Answers that no other job has, so that none of them is stored before. */
const slow = { ...yes, model_args: { mode: 'fixed', text: 'perhaps', latency_ms: 1500, num_concurrent: 1 } }
const wait = { prefer: 'wait=60' }

let folder: string
let service: RunningService
let told: unknown[]
let hook: { readonly url: string; close(): void }

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'service-test-'))
  const include = await yesTask(folder, docs)
  told = []
  hook = await listener(body => told.push(body))
  service = await startService(['--store', `${folder}/store`, '--include-path', include, '--allow-url', hook.url])
})

afterAll(async () => {
  await service.stop()
  hook.close()
  await rm(folder, { recursive: true, force: true })
})

const submit = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Submitted> =>
  service.json<Submitted>('/evaluate', { json: body, headers })

describe('a job', () => {
  it('is evaluated with the same result as on the command line', async () => {
    const { job } = await submit(yes, wait)
    expect(job).toMatchObject({ status: 'completed', error: null, position_in_queue: null })
    expect(job?.result?.tasks['yes_task']?.['exact_match']).toMatchObject({ value: 1, n: docs })
    const results = await service.json<{ counts: object }>(`/jobs/${job?.job_id ?? ''}/results`)
    const typed = await runCli(['report', 'last', '--store', `${folder}/store`, '--json'])
    expect((JSON.parse(typed.stdout) as { counts: object }).counts).toEqual(results.counts)
  })

  it('sends no answered request again', async () => {
    const { job } = await submit(yes, wait)
    const again = await submit(yes, wait)
    expect(again.job_id).not.toBe(job?.job_id)
    expect(again.job?.result?.session).toMatchObject({ asked: 0 })
  })

  it('is created once for an idempotency key', async () => {
    const headers = { 'idempotency-key': 'nightly-1' }
    const first = await submit(yes, headers)
    const second = await submit(yes, headers)
    expect(second.job_id).toBe(first.job_id)
  })

  it('fails with a reason if the evaluation is rejected', async () => {
    const { job } = await submit({ ...yes, samples: '{"other_task": [1]}' }, wait)
    expect(job?.status).toBe('failed')
    expect(job?.error).toContain('other_task')
  })

  it('fails if requests have no answer, and keeps those that exist', async () => {
    const { job } = await submit(
      { ...yes, model_args: { mode: 'fixed', text: 'maybe', fail: ['server:1'], max_retries: 0 }, limit: 3 },
      wait,
    )
    expect(job?.status).toBe('failed')
    expect(job?.error).toContain('3 of 3 docs failed')
    expect(job?.result).not.toBeNull()
  })

  it('names every mistake at once', async () => {
    const answer = await service.request('/evaluate', { json: { model: 3, taks: ['a'], limit: 'x' } })
    expect(answer.status).toBe(422)
    const { problems } = (await answer.json()) as { problems: string[] }
    expect(problems.join('\n')).toMatch(
      /model: expected.*\ntasks: is missing.*\nlimit: expected[^]*Did you mean "tasks"/,
    )
  })

  it('is found by its labels', async () => {
    const { job_id: id } = await submit({ ...yes, labels: { team: 'vision', nightly: 'yes' } }, wait)
    const { jobs } = await service.json<{ jobs: JobInfo[] }>('/jobs?label=team:vision&label=nightly:yes')
    expect(jobs.map(job => job.job_id)).toEqual([id])
  })

  it('calls its webhook when it has ended', async () => {
    const { job_id: id } = await submit({ ...yes, webhook: `${hook.url}/done` }, wait)
    await expect
      .poll(() => told, { timeout: 20_000 })
      .toContainEqual(expect.objectContaining({ job_id: id, status: 'completed' }))
  })
})

describe('an analysis', () => {
  it('runs in a worker with the same result as on the command line', async () => {
    const repeats = { ...yes, limit: 6, repeats: 2 }
    const no = { ...repeats, model_args: { mode: 'fixed', text: 'no' } }
    const [a, b] = [(await submit(no, wait)).job?.run ?? '', (await submit(repeats, wait)).job?.run ?? '']
    const typed = async (...line: readonly string[]): Promise<unknown> => {
      const { stdout } = await runCli([...line, '--store', `${folder}/store`, '--json'])
      return JSON.parse(stdout) as unknown
    }
    const analyse = async (kind: string, json: object): Promise<JobInfo | undefined> =>
      (await service.json<Submitted>(`/${kind}`, { json, headers: wait })).job
    const stability = await analyse('stability', { run: b, others: [a] })
    expect(stability).toMatchObject({ status: 'completed', error: null })
    expect(stability?.result).toEqual(await typed('stability', b, '--with', a))
    expect((await analyse('blame', { a, b }))?.result).toEqual(await typed('blame', a, b))
    expect((await analyse('repro', { run: b }))?.result).toEqual(await typed('repro', b))
    expect(await analyse('recheck', { run: b, k: 4 })).toMatchObject({
      status: 'completed',
      result: { n: 4, matches: 4, isChanged: false },
    })
    expect((await service.request('/blame', { json: { a, b: 'no-such-run' } })).status).toBe(404)
  })
})

describe('events', () => {
  it('have numbers without gaps, and continue after the last one that a client received', async () => {
    const { job_id: id } = await submit({ ...yes, limit: 5 }, wait)
    const all = await eventsOf(service, id)
    expect(all.map(event => event.id)).toEqual(all.map((_, index) => index + 1))
    expect(all[0]?.type).toBe('queued')
    expect(all.at(-1)?.type).toBe('completed')
    const rest = await eventsOf(service, id, { after: 2 })
    expect(rest).toEqual(all.slice(2))
  })
})

describe('cancelling', () => {
  it('ends a running job and keeps its answers', async () => {
    const { job_id: id } = await submit({ ...slow, limit: 4 })
    await eventsOf(service, id, { until: ({ type }) => type === 'run' })
    const answer = await service.request(`/jobs/${id}`, { method: 'DELETE' })
    expect(answer.status).toBe(200)
    const events = await eventsOf(service, id)
    expect(events.at(-1)?.type).toBe('cancelled')
    const again = await service.request(`/jobs/${id}`, { method: 'DELETE' })
    expect(again.status).toBe(400)
  })

  it('ends a queued job at once', async () => {
    const busy = await Promise.all([submit({ ...slow, limit: 2 }), submit({ ...slow, limit: 3 })])
    const { job_id: id } = await submit({ ...yes, priority: -1 })
    expect(await service.json<JobInfo>(`/jobs/${id}`)).toMatchObject({ status: 'queued' })
    await service.json(`/jobs/${id}`, { method: 'DELETE' })
    expect(await service.json<JobInfo>(`/jobs/${id}`)).toMatchObject({ status: 'cancelled' })
    for (const one of busy) await service.request(`/jobs/${one.job_id}`, { method: 'DELETE' })
    for (const one of busy) await eventsOf(service, one.job_id)
  })
})

describe('runs', () => {
  it('return their samples in pages', async () => {
    const { job } = await submit(yes, wait)
    const first = await service.json<{ samples: { doc_index: number }[]; next_cursor: string }>(
      `/runs/${job?.run ?? ''}/samples?limit=5`,
    )
    const second = await service.json<typeof first>(
      `/jobs/${job?.job_id ?? ''}/samples?limit=100&cursor=${first.next_cursor}`,
    )
    expect([...first.samples, ...second.samples].map(sample => sample.doc_index)).toEqual(
      Array.from({ length: docs }, (_, index) => index),
    )
    expect(second.next_cursor).toBeNull()
    const wrong = await service.json<typeof first>(`/runs/${job?.run ?? ''}/samples?only=wrong`)
    expect(wrong).toEqual({ samples: [], next_cursor: null })
  })

  it('can be compared', async () => {
    await submit(yes, wait)
    const { job } = await submit({ ...yes, model_args: { mode: 'fixed', text: 'no' } }, wait)
    const compared = await service.json<{ metrics: { difference: number }[] }>(`/compare?a=last~1&b=${job?.run ?? ''}`)
    expect(compared.metrics[0]?.difference).toBe(-1)
  })

  it('that do not exist return 404', async () => {
    expect((await service.request('/runs/nothing-like-it')).status).toBe(404)
    expect((await service.request('/jobs/00000000-0000-0000-0000-000000000000')).status).toBe(404)
  })
})

describe('the server', () => {
  it('lists tasks and models, and describes them', async () => {
    const { tasks } = await service.json<{ tasks: string[] }>('/tasks?query=yes*')
    expect(tasks).toEqual(['yes_task'])
    expect(await service.json('/tasks/yes_task')).toMatchObject({ kind: 'task', config: { task: 'yes_task' } })
    const { models } = await service.json<{ models: string[] }>('/models')
    expect(models).toContain('openai')
    expect(await service.json('/models/openai')).toMatchObject({ id: 'openai' })
  })

  it('has metrics, a page of documentation and an OpenAPI document', async () => {
    const metrics = await (await service.request('/metrics')).text()
    expect(metrics).toMatch(/^pipeline_jobs\{status="completed"\} \d+$/m)
    expect(metrics).toMatch(/^pipeline_model_requests_total\{model=".+"\} [1-9]\d*$/m)
    const page = await (await service.request('/docs')).text()
    expect(page).toContain('/jobs/{job_id}/events')
    expect(page).not.toContain('<script')
    expect(await service.json('/openapi.json')).toMatchObject({ openapi: '3.1.0' })
  })

  it('needs tokens if others can reach it', async () => {
    const store = `${folder}/guarded`
    const refused = await runCli(['serve', '--store', store, '--host', '0.0.0.0', '--port', '0'])
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stderr).toContain('pipeline serve token new')
    const made = await runCli(['serve', 'token', 'new', '--name', 'reader', '--scope', 'read', '--store', store])
    const token = made.stdout.trim()
    await using guarded = await startService(['--store', store, '--require-token'])
    expect((await guarded.request('/health')).status).toBe(200)
    expect((await guarded.request('/jobs')).status).toBe(401)
    const headers = { authorization: `Bearer ${token}` }
    expect((await guarded.request('/jobs', { headers })).status).toBe(200)
    expect((await guarded.request('/evaluate', { json: yes, headers })).status).toBe(403)
  })
})

describe('a server that is killed', () => {
  it('continues its jobs when it is started again', async () => {
    const store = `${folder}/killed`
    const args = ['--store', store, '--include-path', `${folder}/tasks`]
    const long = { ...yes, model_args: { ...yes.model_args, latency_ms: 150, num_concurrent: 1 } }
    const first = await startService(args)
    const { job_id: id } = await first.json<Submitted>('/evaluate', { json: long })
    const before = await eventsOf(first, id, { until: ({ data }) => Number(data['answered'] ?? 0) > 0 })
    await first.stop('SIGKILL')
    await using second = await startService(args)
    const after = await eventsOf(second, id, { after: before.at(-1)?.id ?? 0 })
    const ids = [...before, ...after].map(event => event.id)
    expect(ids).toEqual(ids.map((_, index) => index + 1))
    expect(after.at(-1)?.type).toBe('completed')
    expect(after.map(({ type }) => type)).toContain('resumed')
  })
})

/** A server that keeps the JSON it is sent. */
async function listener(take: (body: unknown) => void): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
    request.on('end', () => {
      take(JSON.parse(text))
      response.end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
