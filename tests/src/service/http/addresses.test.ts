import { expect, test } from 'vitest'
import { appScene } from './scene.js'

test('rejects other host names, which prevents DNS rebinding', async () => {
  const { request } = await appScene()
  const hosts = [
    'evil.example',
    'evil.example:7310',
    '127.0.0.1.evil.example',
    'localhost.evil.example:7310',
    '0.0.0.0:7310',
    '127.0.0.1:7310@evil',
    '127.0.0.1,evil',
    '2130706433',
    '',
    'localhost.',
    '[::2]',
  ]
  for (const host of hosts)
    expect({ host, status: (await request('/jobs', { headers: { host } })).status }).toEqual({ host, status: 421 })
  for (const host of ['127.0.0.1', 'LOCALHOST:7310', '[::1]:7310'])
    expect({ host, status: (await request('/jobs', { headers: { host } })).status }).toEqual({ host, status: 200 })
})

test('pages of other sites cannot submit, cancel, read or hold connections', async () => {
  const { request, submit, service } = await appScene()
  for (const origin of [
    'https://evil.example',
    'null',
    'http://127.0.0.1:9999',
    'http://localhost:7310',
    'file://',
    'http://127.0.0.1:7310.evil.example',
    'https://127.0.0.1:7310@evil.example',
    'chrome-extension://x',
  ])
    for (const [path, method] of [
      ['/jobs', 'GET'],
      ['/evaluate', 'POST'],
      ['/jobs/x', 'DELETE'],
      ['/jobs', 'OPTIONS'],
    ] as const) {
      const headers = { origin, 'content-type': 'application/json', 'access-control-request-method': 'POST' }
      const answer = await request(path, {
        method,
        headers,
        ...(method === 'POST' && { body: '{"model":"dummy","tasks":"mmlu"}' }),
      })
      expect({ origin, path, status: answer.status }).toEqual({ origin, path, status: 403 })
      expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    }
  for (const site of ['cross-site', 'same-site']) {
    expect((await submit({ model: 'dummy', tasks: 'mmlu' }, { 'sec-fetch-site': site })).status).toBe(403)
    // An image, script or frame of another site: no `Origin`, and a GET.
    for (const [mode, dest] of [
      ['no-cors', 'image'],
      ['no-cors', 'script'],
      ['navigate', 'iframe'],
    ] as const) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
      expect((await request('/compare?a=last&b=last', { headers })).status).toBe(403)
    }
    const link = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await request('/docs', { headers: link })).status).toBe(200)
  }
  expect((await request('/jobs', { headers: { origin: 'http://127.0.0.1:7310' } })).status).toBe(200)
  expect(await service.store.jobs.list({ limit: 1 })).toEqual([])
})

test('accepts only the methods of a route, and GET changes nothing', async () => {
  const { request, submit } = await appScene()
  const { job_id: job } = (await (await submit({ model: 'dummy', tasks: 'mmlu' })).json()) as { job_id: string }
  for (const [path, allow] of [
    ['/jobs', 'GET, HEAD'],
    [`/jobs/${job}`, 'GET, HEAD, DELETE'],
    ['/evaluate', 'POST'],
  ] as const)
    for (const method of ['PUT', 'PATCH', 'PURGE', 'OPTIONS', 'PROPFIND', 'X'.repeat(500)]) {
      const answer = await request(path, { method, body: null })
      expect({ path, method, status: answer.status }).toEqual({ path, method, status: 405 })
      expect(answer.headers.get('allow')).toBe(allow)
      expect((await answer.text()).length).toBeLessThan(200)
    }
  for (const path of [
    `/jobs/${job}?_method=DELETE`,
    `/jobs/${job}?method=DELETE`,
    '/evaluate?model=dummy&tasks=mmlu',
    '/merge',
  ])
    await request(path, { headers: { 'x-http-method-override': 'DELETE' } })
  expect(await (await request('/queue')).json()).toMatchObject({ queue_size: 1, cancelled_jobs: 0 })
})

test('no spelling of a path reads a file or causes a server error', async () => {
  const { request, log } = await appScene()
  const names = [
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    '%2e%2e%2f',
    '..',
    '%00',
    'a%00b',
    '%252e%252e',
    '%c0%ae',
    '%ff',
    '%',
    '%zz',
    '%0d%0aset-cookie:a=b',
    '%1b%5b31m',
    '%e2%80%ae',
    "'%20OR%201=1--",
    'x'.repeat(5000),
    '.',
    '*',
    '..;',
    '\\..\\',
    '{job_id}',
    'last~99999999999',
    'last@0',
    '%40%40',
    'sha256:%25',
  ]
  for (const name of names)
    for (const path of [
      `/jobs/${name}`,
      `/jobs/${name}/events`,
      `/jobs/${name}/results`,
      `/jobs/${name}/samples`,
      `/runs/${name}`,
      `/runs/${name}/samples`,
      `/tasks/${name}`,
      `/models/${name}`,
      `/${name}`,
      `/compare?a=${name}&b=${name}`,
      `/why-miss?a=${name}&b=last`,
      `/jobs?cursor=${name}`,
      `/runs/last/samples?cursor=${name}`,
    ]) {
      const answer = await request(path)
      expect({ path, isRefused: answer.status >= 400 && answer.status < 500 }).toEqual({ path, isRefused: true })
      expect([...answer.headers.keys()]).not.toContain('set-cookie')
      expect(await answer.text()).not.toMatch(/[\u0000-\u001f\u202e]| at .*:\d+|root:/)
    }
  expect(log).toEqual([])
})

test('patterns of task names are matched quickly, and empty ranges match nothing', async () => {
  const { request, log } = await appScene()
  for (const query of [
    '*?'.repeat(140) + '!',
    '*a'.repeat(140) + '!',
    '*'.repeat(300),
    '[z-a]',
    '[',
    '[]',
    '[!]',
    '[[:alpha:]]',
    '\\',
    '(a+)+$',
    '%ff',
  ]) {
    const began = performance.now()
    const answer = await request(`/tasks?query=${encodeURIComponent(query)}`)
    expect({ query, status: answer.status }).toEqual({ query, status: 200 })
    expect(performance.now() - began).toBeLessThan(5000)
  }
  expect((await request(`/tasks?query=${'*'.repeat(301)}`)).status).toBe(422)
  expect(log).toEqual([])
})

test('pages of an allowed origin may send preflight requests and read the response', async () => {
  const { request } = await appScene({ settings: { origins: ['https://board.example'], needsToken: true } })
  const headers = { origin: 'https://board.example' }
  const asked = await request('/evaluate', {
    method: 'OPTIONS',
    headers: { ...headers, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  })
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-headers')).toContain('authorization')
  const refused = await request('/jobs', { headers })
  expect(refused.status).toBe(401)
  expect(refused.headers.get('access-control-allow-origin')).toBe('https://board.example')
})
