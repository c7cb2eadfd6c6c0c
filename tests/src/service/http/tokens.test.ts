import { expect, test } from 'vitest'
import type { JobLease } from '../../../../cache/store.js'
import { appScene, plainJob } from './scene.js'

const needsToken = { needsToken: true }

test('accepts only a complete, valid token in the header', async () => {
  const { request, token, service } = await appScene({ settings: needsToken })
  const { authorization, id } = await token('admin')
  const text = authorization.slice('Bearer '.length)
  const other = await token('admin')
  const expired = await token('admin', -1)
  const refused = [
    '',
    'Bearer',
    'Bearer ',
    text,
    `Basic ${text}`,
    `Bearer ${text} ${text}`,
    `Bearer ${text.slice(0, -1)}`,
    `Bearer ${text}x`,
    `Bearer ${text.toUpperCase()}`,
    `Bearer pl_${id}_${other.authorization.slice(-43)}`,
    `Bearer pl_${id}_`,
    `Bearer pl_%_${text.slice(-43)}`,
    `Bearer pl_${'0'.repeat(12)}_${'A'.repeat(43)}`,
    `Bearer ${'x'.repeat(10_000)}`,
    expired.authorization,
  ]
  for (const [index, given] of refused.entries()) {
    const answer = await request('/jobs', { headers: { authorization: given }, address: `10.0.0.${index}` })
    expect({ given, status: answer.status }).toEqual({ given, status: 401 })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(await answer.text()).not.toContain('pl_0')
  }
  for (const query of [`token=${text}`, `access_token=${text}`, `api_key=${text}`, `authorization=Bearer%20${text}`])
    expect((await request(`/jobs?${query}`)).status).toBe(401)
  for (const name of ['cookie', 'x-api-key', 'proxy-authorization', 'x-forwarded-for'])
    expect((await request('/jobs', { headers: { [name]: name === 'cookie' ? `token=${text}` : text } })).status).toBe(
      401,
    )
  expect((await request('/jobs', { headers: { authorization } })).status).toBe(200)
  await service.store.tokens.remove(id)
  expect((await request('/jobs', { headers: { authorization } })).status).toBe(401)
})

test('without a token, only /health responds, with numbers and no names', async () => {
  const { request } = await appScene({ settings: needsToken })
  for (const path of [
    '/jobs',
    '/queue',
    '/tasks',
    '/models',
    '/runs',
    '/metrics',
    '/docs',
    '/openapi.json',
    '/nowhere',
    '/health/',
    '//health',
    '/HEALTH',
    '/health/..',
  ])
    expect({ path, status: (await request(path)).status }).toEqual({ path, status: 401 })
  const body = (await (await request('/health')).json()) as object
  expect(Object.keys(body)).toEqual([
    'status',
    'timestamp',
    'queue_size',
    'running_jobs',
    'oldest_queued_seconds',
    'workers',
    'disk_free_bytes',
    'problems',
  ])
})

test('read sees all jobs, submit cancels its own, admin cancels any', async () => {
  const { request, submit, token, service } = await appScene({ settings: needsToken })
  const [reader, first, second, admin] = [
    await token('read'),
    await token('submit'),
    await token('submit'),
    await token('admin'),
  ]
  const ofFirst = await idOf(await submit(plainJob, first))
  expect((await submit(plainJob, reader)).status).toBe(403)
  expect(
    (await request('/merge', { method: 'POST', headers: { ...first, 'content-type': 'application/json' }, body: '{}' }))
      .status,
  ).toBe(403)
  for (const { authorization } of [reader, first, second, admin])
    expect((await request(`/jobs/${ofFirst}`, { headers: { authorization } })).status).toBe(200)
  const cancel = async ({ authorization }: { readonly authorization: string }): Promise<number> =>
    (await request(`/jobs/${ofFirst}`, { method: 'DELETE', headers: { authorization } })).status
  expect([await cancel(reader), await cancel(second)]).toEqual([403, 403])
  expect((await service.store.jobs.find(ofFirst))?.status).toBe('queued')
  expect(await cancel(first)).toBe(200)
  const another = await idOf(await submit({ ...plainJob, limit: 3 }, second))
  expect(
    (await request(`/jobs/${another}`, { method: 'DELETE', headers: { authorization: admin.authorization } })).status,
  ).toBe(200)
})

test('an idempotency key belongs to one token', async () => {
  const { submit, token } = await appScene({ settings: needsToken })
  const [first, second] = [await token('submit'), await token('submit')]
  const key = { 'idempotency-key': 'nightly' }
  const own = await idOf(await submit(plainJob, { ...first, ...key }))
  expect(await idOf(await submit(plainJob, { ...first, ...key }))).toBe(own)
  expect(await idOf(await submit(plainJob, { ...second, ...key }))).not.toBe(own)
  const guess = `${first.id}/nightly`
  expect(await idOf(await submit(plainJob, { ...second, 'idempotency-key': guess }))).not.toBe(own)
  expect((await submit(plainJob, { ...first, 'idempotency-key': 'x'.repeat(201) })).status).toBe(422)
})

test('slows down clients that guess tokens, and locks nobody out', async () => {
  let ms = 0
  const { request, token } = await appScene({ settings: needsToken, now: () => ms })
  const { authorization } = await token('read')
  const guess = async (index: number): Promise<number> =>
    (
      await request('/jobs', {
        headers: { authorization: `Bearer pl_${'0'.repeat(12)}_${String(index).padStart(43, 'A')}` },
        address: '10.9.9.9',
      })
    ).status
  const statuses: number[] = []
  for (let index = 0; index < 2000; index += 1) statuses.push(await guess(index))
  expect(statuses.filter(status => status === 401)).toHaveLength(20)
  expect(statuses.filter(status => status === 429)).toHaveLength(1980)
  // Neither from elsewhere nor, as behind a proxy, from the same address.
  for (const address of ['10.9.9.9', '10.1.1.1'])
    expect((await request('/jobs', { headers: { authorization }, address })).status).toBe(200)
  ms += 1000
  expect([await guess(1), await guess(2)]).toEqual([401, 429])
})

test('rate-limits a client that sends too fast, and no other', async () => {
  const { request, token } = await appScene({
    settings: { ...needsToken, rate: { perSecond: 1, burst: 5 } },
    now: () => 0,
  })
  const [fast, calm] = [await token('read'), await token('read')]
  const statuses: number[] = []
  for (let index = 0; index < 7; index += 1)
    statuses.push((await request('/jobs', { headers: { authorization: fast.authorization } })).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429])
  expect((await request('/jobs', { headers: { authorization: calm.authorization } })).status).toBe(200)
})

test('control characters of clients are escaped in headers, events and the log', async () => {
  const { request, submit, service, log } = await appScene()
  const acting = '\u001b[31mred\u001b]0;title\u0007\u202egnp'
  for (const job of [
    { ...plainJob, labels: { a: 'b\r\nx: y' } },
    { ...plainJob, labels: { 'a\nb': 'c' } },
    { ...plainJob, labels: { a: acting } },
    { ...plainJob, tasks: `mmlu\ninternal error: none` },
    { ...plainJob, model: acting },
    { ...plainJob, webhook: 'http://127.0.0.1/\r\nx: y' },
    { ...plainJob, [acting]: 1 },
  ]) {
    const answer = await submit(job)
    expect({ job, status: answer.status }).toEqual({ job, status: 422 })
    expect(await answer.text()).not.toMatch(/[\u0000-\u001f\u007f\u202e]/)
  }
  const { job_id: id } = (await (await submit(plainJob)).json()) as { job_id: string }
  for (const last of ['1\u00a0', '-1', '1e3', '0x1', '9'.repeat(16), 'a', '9'.repeat(30)])
    expect((await request(`/jobs/${id}/events`, { headers: { 'last-event-id': last } })).status).toBe(422)
  // A text with line breaks stays one `data:` line.
  const lease = (await service.store.jobs.claim()) as JobLease
  await service.store.jobs.append(lease, [{ type: 'note', data: { text: 'a\n\nevent: completed\ndata: {}\r\n' } }])
  await service.store.jobs.finish(lease, { status: 'completed', result: {} })
  const events = await (await request(`/jobs/${id}/events`)).text()
  expect(events.split('\n').filter(line => line.startsWith('event:'))).toEqual([
    'event: queued',
    'event: started',
    'event: note',
    'event: completed',
  ])
  expect(log).toEqual([])
})

test('a server error reveals nothing about its cause', async () => {
  const { request, service, log } = await appScene()
  const broken: typeof service.store.jobs.find = () =>
    Promise.reject(new Error('at /srv/secret/place.js:1:2 \u001b[31m'))
  Object.assign(service.store.jobs, { find: broken })
  const answer = await request('/jobs/x')
  expect(answer.status).toBe(500)
  expect(await answer.json()).toEqual({ detail: 'internal error; the log of the server says more' })
  expect(log).toHaveLength(1)
  expect(log[0]).not.toContain('\u001b')
})

const idOf = async (answer: Response): Promise<string> => {
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { job_id: string }).job_id
}
