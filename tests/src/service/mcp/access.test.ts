/** Who may call the tools over HTTP. */
import { expect, it } from 'vitest'
import { echo, scene } from './scene.js'

const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

it('needs a token if the server does', async () => {
  const { agent, token, request } = await scene({ requireToken: true })
  await expect(agent()).rejects.toThrow('this service needs a token')
  await expect(agent('pl_000000000000_' + 'x'.repeat(43))).rejects.toThrow('the token is unknown or has expired')
  const refused = await request({ method: 'POST', headers, body: JSON.stringify(message) })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  const { client } = await agent(await token('read'))
  expect((await client.listTools()).tools).toHaveLength(14)
})

it('a token allows what its scope includes', async () => {
  const { agent, token } = await scene({ requireToken: true })
  const reader = await agent(await token('read'))
  expect(await reader.call('list_models', {})).toMatchObject({ isError: false })
  for (const [name, args] of [
    ['evaluate', echo],
    ['cancel_run', { run_id: 'last' }],
  ] as const)
    expect(await reader.call(name, args)).toMatchObject({
      isError: true,
      text: `${name} needs a token with scope "submit"; this one has "read" (pipeline serve token new --scope submit)`,
    })
})

it('only the submitter and admins can cancel', async () => {
  const { agent, token } = await scene({ requireToken: true })
  const [owner, other, admin] = [
    await agent(await token('submit')),
    await agent(await token('submit')),
    await agent(await token('admin')),
  ]
  const submitted = async (): Promise<object> => {
    const { data } = await owner.call('evaluate', { ...echo, mode: 'async' })
    return { run_id: data['run_id'] }
  }
  const run = await submitted()
  expect(await other.call('cancel_run', run)).toMatchObject({
    isError: true,
    text: 'only the token that submitted a run, or one with scope "admin", can cancel it',
  })
  expect((await owner.call('cancel_run', run)).data).toMatchObject({ success: true })
  expect((await admin.call('cancel_run', await submitted())).data).toMatchObject({ success: true })
})

it.each([
  { name: 'another host name', sent: { host: 'evil.example' }, status: 421 },
  { name: 'a web page of another site', sent: { origin: 'https://evil.example' }, status: 403 },
  { name: 'a form of a web page', sent: { 'content-type': 'text/plain' }, status: 415 },
])('rejects requests with $name', async ({ sent, status }) => {
  const { request } = await scene()
  const answer = await request({ method: 'POST', headers: { ...headers, ...sent }, body: JSON.stringify(message) })
  expect(answer.status).toBe(status)
})

it('accepts one message at a time, without sessions', async () => {
  const { request } = await scene()
  const post = (body: string) => request({ method: 'POST', headers, body })
  const one = await post(JSON.stringify(message))
  expect([one.status, one.headers.get('mcp-session-id')]).toEqual([200, null])
  expect(await one.text()).toContain('"list_tasks"')
  expect((await post(JSON.stringify([message, message]))).status).toBe(400)
  expect((await post('{"jsonrpc"')).status).toBe(400)
  expect((await post('{"jsonrpc":"1.0"}')).status).toBe(400)
  for (const method of ['GET', 'DELETE']) {
    const answer = await request({ method, headers: { accept: 'text/event-stream' } })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  }
})
