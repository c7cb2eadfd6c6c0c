import { expect, test } from 'vitest'
import { Sessions } from '../../../../src/service/viewer/session/sessions.js'
import { appScene, plainJob, type AppScene } from '../http/scene.js'

const needsToken = { needsToken: true }
const own = { origin: 'http://127.0.0.1:7310' }
const json = { 'content-type': 'application/json' }

/** The header that a browser sends after an answer. */
const cookieOf = (answer: Response): string => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

async function openedBy({ service, request }: AppScene, scope: 'read' | 'admin'): Promise<{ readonly cookie: string }> {
  const link = service.viewer?.sessions.link({ scope }, { isOnce: false }) ?? ''
  const answer = await request(`/ui/?t=${link}`)
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toBe('/ui/')
  return { cookie: cookieOf(answer) }
}

test('a link starts a session, whose cookie no script can read and no other site can use', async () => {
  const scene = await appScene({ settings: needsToken, viewer: true })
  const link = scene.service.viewer?.sessions.link({ scope: 'admin' }, { isOnce: true }) ?? ''
  expect((await scene.request('/view/runs')).status).toBe(401)
  const answer = await scene.request(`/ui/?t=${link}`)
  expect(answer.headers.get('set-cookie')).toMatch(
    /^pipeline_session_7310=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
  )
  const cookie = cookieOf(answer)
  expect((await scene.request('/view/runs', { headers: { cookie } })).status).toBe(200)
  expect(await (await scene.request('/view/session', { headers: { cookie } })).json()).toEqual({
    scope: 'admin',
    hasSession: true,
  })
  // The link was used before.
  const again = await scene.request(`/ui/?t=${link}`)
  expect([again.status, again.headers.get('set-cookie')]).toEqual([303, null])
})

test('rejects a wrong, changed or foreign cookie', async () => {
  const scene = await appScene({ settings: needsToken, viewer: true })
  const { cookie } = await openedBy(scene, 'admin')
  const secret = cookie.split('=')[1] ?? ''
  for (const wrong of [
    '',
    'pipeline_session_7310=',
    `pipeline_session_7310=${'A'.repeat(43)}`,
    `${cookie}x`,
    cookie.slice(0, -1),
    `pipeline_session_7311=${secret}`,
    `pipeline_session=${secret}`,
    `x=${secret}`,
    `pipeline_session_7310="${secret}"`,
    'pipeline_session_7310=__proto__',
  ])
    expect({ wrong, status: (await scene.request('/view/runs', { headers: { cookie: wrong } })).status }).toEqual({
      wrong,
      status: 401,
    })
  expect((await scene.request('/view/runs', { headers: { cookie: `a=b; ${cookie}; c=d` } })).status).toBe(200)
})

test('serves pages without a session, but not their data', async () => {
  const { request } = await appScene({ settings: needsToken, viewer: true })
  for (const path of ['/ui/', '/ui/assets/index-abcd1234.js'])
    expect({ path, status: (await request(path)).status }).toEqual({ path, status: 200 })
  for (const path of ['/', '/ui']) expect((await request(path)).headers.get('location')).toBe('/ui/')
  for (const path of [
    '/view/session',
    '/view/runs',
    '/view/runs/last',
    '/view/runs/last/samples',
    '/view/runs/last/samples/0/0',
    '/view/runs/last/position?at=0/0',
    '/view/runs/last/keys/x',
    '/view/compare?a=last&b=last',
    '/view/new-run',
    '/view/tasks',
    '/view/models',
    '/view/events',
    `/view/media/sha256:${'0'.repeat(64)}`,
    `/view/media/sha256:${'0'.repeat(64)}/thumbnail`,
    `/view/media/sha256:${'0'.repeat(64)}/peaks`,
    '/runs',
    '/evaluate',
  ])
    expect({ path, status: (await request(path)).status }).toEqual({ path, status: 401 })
})

test('a session can change something only from pages of this server', async () => {
  const scene = await appScene({
    settings: { ...needsToken, origins: ['https://board.example', 'http://127.0.0.1:9000'] },
    viewer: true,
  })
  const { cookie } = await openedBy(scene, 'admin')
  const submitted = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await scene.submit(plainJob, { cookie, ...headers })).status
  for (const headers of [
    {},
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://board.example' },
    { origin: 'http://127.0.0.1:9000' },
    { origin: 'http://localhost:7310' },
    { origin: 'http://127.0.0.1:7310.evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect({ headers, status: await submitted(headers) }).toEqual({ headers, status: 403 })
  // An HTML form can only send these types.
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
    expect(await submitted({ ...own, 'content-type': type })).toBe(415)
  expect(await submitted({ ...own, host: 'evil.example' })).toBe(421)
  expect(await scene.service.store.jobs.list({ limit: 1 })).toEqual([])
  expect(await submitted(own)).toBe(200)
})

test('a session with scope read cannot start, cancel or label anything', async () => {
  const scene = await appScene({ settings: needsToken, viewer: true })
  const { cookie } = await openedBy(scene, 'read')
  expect((await scene.submit(plainJob, { cookie, ...own })).status).toBe(403)
  expect((await scene.request('/jobs/x', { method: 'DELETE', headers: { cookie, ...own } })).status).toBe(403)
  const plan = await scene.request('/view/new-run', {
    method: 'POST',
    headers: { cookie, ...own, ...json },
    body: JSON.stringify({ config: plainJob }),
  })
  expect(plan.status).toBe(200)
  expect(await scene.service.store.jobs.list({ limit: 1 })).toEqual([])
})

test('a token starts a session, which ends with the token or at sign-out', async () => {
  const { request, token, service } = await appScene({ settings: needsToken, viewer: true })
  const { authorization, id } = await token('submit')
  const signIn = (text: unknown): Promise<Response> =>
    request('/view/session', { method: 'POST', headers: { ...own, ...json }, body: JSON.stringify({ token: text }) })
  for (const wrong of [undefined, 7, {}]) expect((await signIn(wrong)).status).toBe(422)
  expect((await signIn('pl_0')).status).toBe(401)
  const cookie = cookieOf(await signIn(` ${authorization.slice('Bearer '.length)} `))
  const status = async (): Promise<number> => (await request('/view/runs', { headers: { cookie } })).status
  expect(await status()).toBe(200)
  expect((await request('/view/session', { method: 'DELETE', headers: { cookie } })).status).toBe(403)
  expect((await request('/view/session', { method: 'DELETE', headers: { cookie, ...own } })).status).toBe(200)
  expect(await status()).toBe(401)
  const second = cookieOf(await signIn(authorization.slice('Bearer '.length)))
  expect((await request('/view/runs', { headers: { cookie: second } })).status).toBe(200)
  await service.store.tokens.remove(id)
  expect((await request('/view/runs', { headers: { cookie: second } })).status).toBe(401)
})

test('slows down people who guess tokens in the form, too', async () => {
  const { request } = await appScene({ settings: needsToken, viewer: true, now: () => 0 })
  const statuses: number[] = []
  for (let index = 0; index < 25; index += 1)
    statuses.push(
      (
        await request('/view/session', {
          method: 'POST',
          headers: { ...own, ...json },
          body: JSON.stringify({ token: `pl_${'0'.repeat(12)}_${String(index).padStart(43, 'A')}` }),
        })
      ).status,
    )
  expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)])
})

test('links and sessions expire', () => {
  let now = 0
  const sessions = new Sessions(() => now)
  const [once, lasting] = [true, false].map(isOnce => sessions.link({ scope: 'read' }, { isOnce }))
  now = 121_000
  expect(sessions.exchange(once ?? '')).toBeUndefined()
  const secret = sessions.exchange(lasting ?? '') ?? ''
  expect(sessions.find(secret)).toEqual({ scope: 'read' })
  now += 31 * 24 * 3_600_000
  expect(sessions.find(secret)).toBeUndefined()
  expect(sessions.exchange(lasting ?? '')).toBeDefined()
})

test('a local server without tokens needs no session', async () => {
  const { request } = await appScene({ viewer: true })
  expect((await request('/view/runs')).status).toBe(200)
  expect(await (await request('/view/session')).json()).toEqual({ scope: 'admin', hasSession: false })
})
