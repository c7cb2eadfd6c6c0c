import { expect, test } from 'vitest'
import {
  ConnectionError,
  EvalClient,
  JobFailedError,
  JobTimeoutError,
  ServiceError,
} from '../../../../src/service/client/index.js'
import { answer, drop, scriptedService } from './scripted-service.js'

const job = (status: string, error: string | null = null) => ({ job_id: 'a', status, error })
const request = { model: 'dummy', tasks: ['mmmu_val'] }

test('retries a lost connection, a gateway error and a full queue with the same idempotency key', async () => {
  const service = await scriptedService(
    drop,
    response => response.writeHead(502).end('<html>bad gateway</html>'),
    answer({ detail: 'full' }, 503),
    answer({ job_id: 'a' }),
  )
  expect(await service.client.evaluate({ ...request, priority: 5 })).toEqual({ job_id: 'a' })
  const keys = service.received.map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(4)
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  expect(JSON.parse(service.received[3]?.body ?? '')).toEqual({ ...request, priority: 5 })
})

test('two calls have different keys, and a given key is sent', async () => {
  const { client, received } = await scriptedService(answer({ job_id: 'a' }))
  await client.evaluate(request)
  await client.evaluate(request)
  await client.evaluate(request, { idempotencyKey: 'mine', waitSeconds: 30 })
  const [first, second, third] = received.map(({ headers }) => headers)
  expect(first?.['idempotency-key']).not.toBe(second?.['idempotency-key'])
  expect(third).toMatchObject({ 'idempotency-key': 'mine', prefer: 'wait=30' })
})

test('reads an answer again that is cut off', async () => {
  const { client } = await scriptedService(
    response => {
      response.writeHead(200, { 'content-length': '100' }).write('{"tasks":["m', () => response.destroy())
    },
    answer({ tasks: ['mmmu_val'], groups: [] }),
  )
  expect(await client.listTasks('mm*')).toEqual(['mmmu_val'])
})

test('waits as long as the service asks', async () => {
  const { client } = await scriptedService(
    answer({ detail: 'too many requests' }, 429, { 'retry-after': '1' }),
    answer({ queue_size: 0 }),
  )
  const began = performance.now()
  await client.queue()
  expect(performance.now() - began).toBeGreaterThan(950)
})

test('does not retry errors that another attempt cannot change', async () => {
  const { client, received } = await scriptedService(
    answer(
      { detail: 'limit: expected a number; tasks: none', problems: ['limit: expected a number', 'tasks: none'] },
      422,
    ),
  )
  const error = await client.evaluate(request).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(ServiceError)
  expect(error).toMatchObject({ status: 422, problems: ['limit: expected a number', 'tasks: none'] })
  expect(received).toHaveLength(1)
})

test('retries end after their maximum number, with the last error', async () => {
  const { client, received } = await scriptedService(drop)
  await expect(client.run('last')).rejects.toThrow(ConnectionError)
  expect(received).toHaveLength(5)
  expect(await client.isHealthy()).toBe(false)
  expect(received).toHaveLength(6)
})

test('sends the token with every request', async () => {
  const { url, received } = await scriptedService(answer({ status: 'healthy' }))
  expect(await new EvalClient({ baseUrl: `${url}/`, token: 'pl_secret' }).isHealthy()).toBe(true)
  expect(received[0]).toMatchObject({ line: 'GET /health', headers: { authorization: 'Bearer pl_secret' } })
})

test('escapes names within a path', async () => {
  const { client, received } = await scriptedService(answer({}))
  await client.taskInfo('../jobs?x=1')
  expect(received[0]?.line).toBe('GET /tasks/..%2Fjobs%3Fx%3D1')
})

test('waiting ends with a failed or cancelled job, and throws only if requested', async () => {
  const { client, received } = await scriptedService(answer(job('running')), answer(job('failed', 'no answer')))
  expect(await client.waitForJob('a')).toMatchObject({ status: 'failed' })
  expect(received.map(({ headers }) => headers['prefer'])).toEqual(['wait=30', 'wait=30'])
  const error = await client.waitForJob('a', { throwOnFailure: true }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(JobFailedError)
  expect(error).toMatchObject({ message: 'job a failed: no answer', job: { status: 'failed' } })

  const cancelled = await scriptedService(answer(job('cancelled')))
  expect(await cancelled.client.waitForJob('a')).toMatchObject({ status: 'cancelled' })
  await expect(cancelled.client.waitForJob('a', { throwOnFailure: true })).rejects.toThrow('job a cancelled')
})

test('waiting ends at its time limit, and at once when aborted', async () => {
  const { client } = await scriptedService(() => undefined)
  await expect(client.waitForJob('a', { timeoutMs: 50 })).rejects.toThrow(JobTimeoutError)
  const stop = new AbortController()
  const waiting = client.waitForJob('a', { signal: stop.signal })
  stop.abort(new Error('the user went home'))
  await expect(waiting).rejects.toThrow('the user went home')
})

test('cancelling succeeds if the response to the first attempt was lost', async () => {
  const { client, received } = await scriptedService(
    drop,
    answer({ detail: 'job a has ended already: cancelled' }, 400),
    answer(job('cancelled')),
  )
  expect(await client.cancelJob('a')).toEqual({ message: 'Job a cancelled' })
  expect(received.map(({ line }) => line)).toEqual(['DELETE /jobs/a', 'DELETE /jobs/a', 'GET /jobs/a'])

  const ended = await scriptedService(answer({ detail: 'has ended already: completed' }, 400), answer(job('completed')))
  await expect(ended.client.cancelJob('a')).rejects.toThrow('400: has ended already')
})

test('reads lists page by page, as far as the loop goes', async () => {
  const { client, received } = await scriptedService(
    answer({ jobs: [job('completed'), job('failed')], next_cursor: 'b' }),
    answer({ jobs: [job('queued')], next_cursor: null }),
  )
  const found: string[] = []
  for await (const { status } of client.jobs({ labels: { team: 'a', kind: 'x' }, pageSize: 2 })) found.push(status)
  expect(found).toEqual(['completed', 'failed', 'queued'])
  expect(received.map(({ line }) => line)).toEqual([
    'GET /jobs?label=team%3Aa&label=kind%3Ax&limit=2',
    'GET /jobs?label=team%3Aa&label=kind%3Ax&limit=2&cursor=b',
  ])

  const samples = await scriptedService(answer({ samples: [{ doc: 0 }, { doc: 1 }], next_cursor: '0:1' }))
  for await (const sample of samples.client.samples('a', { only: 'wrong' })) {
    expect(sample).toEqual({ doc: 0 })
    break
  }
  expect(samples.received.map(({ line }) => line)).toEqual(['GET /jobs/a/samples?only=wrong'])
})

test('returns a run once that a new run moved to the next page', async () => {
  const run = (id: string) => ({ id })
  const { client } = await scriptedService(
    answer({ runs: [run('c'), run('b')], total: 3, next_cursor: '2' }),
    answer({ runs: [run('b'), run('a')], total: 4, next_cursor: null }),
  )
  const ids: string[] = []
  for await (const { id } of client.runs({ pageSize: 2 })) ids.push(id)
  expect(ids).toEqual(['c', 'b', 'a'])
})

test('adds labels, reads them page by page, and tags runs', async () => {
  const label = { run: 'last', task: 't', doc_index: 3, label: 'wrong' } as const
  const { client, received } = await scriptedService(
    answer({ author: 'Ada' }),
    answer({ run: 'a-b-c', tags: ['x'] }),
    answer({ labels: [{ note: 'one' }], next_cursor: '5' }),
    answer({ labels: [{ note: 'two' }], next_cursor: null }),
  )
  expect(await client.addLabel(label)).toEqual({ author: 'Ada' })
  expect(await client.tagRun('a/b', { add: ['x'] })).toEqual(['x'])
  const notes: string[] = []
  for await (const { note } of client.labels({ run: 'last', pageSize: 1 })) notes.push(note)
  expect(notes).toEqual(['one', 'two'])
  expect(received.map(({ line, body }) => [line, body])).toEqual([
    ['POST /labels', JSON.stringify(label)],
    ['POST /runs/a%2Fb/tags', '{"add":["x"]}'],
    ['GET /labels?run=last&limit=1', ''],
    ['GET /labels?run=last&limit=1&cursor=5', ''],
  ])
})
