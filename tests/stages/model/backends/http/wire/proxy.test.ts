import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openai } from '../../../../../../stages/model/backends/openai.js'
import { proxyFor } from '../../../../../../stages/model/backends/http/wire/proxy.js'
import { parseModelArgs } from '../../../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../../../support/backend-client.js'
import { completion, startFakeOpenai } from '../../../../../support/fake-openai.js'
import { startFakeProxy } from '../../../../../support/fake-proxy.js'

const key = 'sk-very-secret-0123456789'
const password = 'p@ss-very-secret'

async function proxied(options: Parameters<typeof startFakeProxy>[0] = {}) {
  const proxy = await startFakeProxy(options)
  onTestFinished(() => proxy.close())
  return proxy
}

async function connect(args: Record<string, unknown>, env: Record<string, string> = {}) {
  return askBackend(openai, { model: 'm', ...args }, { OPENAI_API_KEY: key, ...env })
}

/** A TLS server that only answers yes and counts requests. */
async function startSecure(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const folder = join(import.meta.dirname, '../../../../../fixtures/tls')
  const asked: string[] = []
  const [tlsKey, cert] = await Promise.all(['localhost.key', 'localhost.crt'].map(name => readFile(join(folder, name))))
  const server = createServer({ key: tlsKey!, cert: cert! }, (request, response) => {
    asked.push(`${request.headers.host} ${request.url} ${request.headers.authorization}`)
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(completion('yes')))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}

test('sends a plain HTTP request to the proxy with the full address and the proxy’s login', async () => {
  const server = await startFakeOpenai()
  onTestFinished(() => server.close())
  const host = new URL(server.url).host
  const proxy = await proxied({ hosts: { 'api.test': host } })
  const { ask } = await connect(
    { base_url: 'http://api.test/v1' },
    { HTTP_PROXY: `http://me:${encodeURIComponent(password)}@${proxy.host}` },
  )
  await ask()
  await ask()
  const login = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  const call = { target: 'POST http://api.test/v1/chat/completions', login, host: 'api.test' }
  expect(proxy.calls).toEqual([call, call])
  expect(server.seen[0]!.headers).toMatchObject({ host: 'api.test', authorization: `Bearer ${key}` })
  expect(server.seen[0]!.headers).not.toHaveProperty('proxy-authorization')
})

test('sends TLS requests through one tunnel, so that the proxy never sees the key', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await startSecure()
  const proxy = await proxied({ hosts: { 'api.test:443': `127.0.0.1:${server.port}` } })
  const { ask } = await connect(
    { base_url: 'https://api.test/v1', proxy: `http://me:${encodeURIComponent(password)}@${proxy.host}` },
    { HTTPS_PROXY: 'http://127.0.0.1:9' },
  )
  expect((await ask()).body.text).toBe('yes')
  expect((await ask()).body.text).toBe('yes')
  const login = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
  expect(proxy.calls).toEqual([{ target: 'CONNECT api.test:443', login, host: 'api.test:443' }])
  expect(server.asked).toEqual(Array(2).fill(`api.test /v1/chat/completions Bearer ${key}`))
})

test('checks certificates against the server’s name inside a tunnel', async () => {
  const server = await startSecure()
  const proxy = await proxied({ hosts: { 'api.test:443': `127.0.0.1:${server.port}` } })
  const { failure } = await connect({ base_url: 'https://api.test/v1', proxy: proxy.host })
  const { message, isRetryable } = await failure()
  expect(message).toContain('certificate is not trusted')
  expect(isRetryable).toBe(false)
  expect(server.asked).toEqual([])
})

test.each([
  ['https://api.test/v1', 407, /the proxy http:\S+ answered with status 407: give user and password/, false],
  ['https://api.test/v1', 502, /answered with status 502/, true],
  ['http://api.test/v1', 407, /a proxy wants a login/, false],
])('for %s, reports a proxy that replies %s', async (base_url, status, words, isRetryable) => {
  const proxy = await proxied({ status })
  const { failure } = await connect({ base_url, proxy: `http://me:${encodeURIComponent(password)}@${proxy.host}` })
  const told = await failure()
  expect(told.message).toMatch(words)
  expect(told.message).not.toContain(password)
  expect(told.isRetryable).toBe(isRetryable)
})

test('names an unreachable proxy without its login', async () => {
  const proxy = await startFakeProxy()
  await proxy.close()
  const { failure } = await connect({
    base_url: 'https://api.test/v1',
    proxy: `http://me:${password}@${proxy.host}`.replace('p@ss', 'p%40ss'),
  })
  const { class: name, message } = await failure()
  expect(name).toBe('server')
  expect(message).toContain(`the proxy http://${proxy.host} (proxy) does not answer`)
  expect(message).not.toContain('very-secret')
})

test("uses a proxy for localhost only if the model's arguments set it", async () => {
  const server = await startFakeOpenai()
  onTestFinished(() => server.close())
  const proxy = await proxied()
  const direct = await connect({ base_url: server.url }, { HTTP_PROXY: `http://${proxy.host}` })
  await direct.ask()
  expect(proxy.calls).toEqual([])
  const asked = await connect({ base_url: server.url, proxy: `http://${proxy.host}` })
  await asked.ask()
  expect(proxy.calls.map(({ target }) => target)).toEqual([`POST ${server.url}/chat/completions`])
})

const proxyAt = (origin: string, env: Record<string, string>) => proxyFor(origin, undefined, env)?.origin

test.each([
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:2' }, 'http://p:1'],
  ['http://api.test', { HTTPS_PROXY: 'http://p:1', HTTP_PROXY: 'http://q:2' }, 'http://q:2'],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' }, 'http://q:2'],
  ['https://api.test', { ALL_PROXY: 'p:1' }, 'http://p:1'],
  ['https://api.test', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['https://api.test', { HTTPS_PROXY: ' ' }, undefined],
  ['http://localhost:8000', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://127.0.0.1:8000', { HTTP_PROXY: 'http://p:1' }, undefined],
  ['http://[::1]:8000', { ALL_PROXY: 'http://p:1' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.test, api.test' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '.test' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*.test' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', no_proxy: 'TEST' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'pi.test' }, 'http://p:1'],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'api.test:443' }, undefined],
  ['https://api.test', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'api.test:8443' }, 'http://p:1'],
  ['http://10.0.0.7:8000', { HTTP_PROXY: 'http://p:1', NO_PROXY: '10.0.0.7' }, undefined],
  ['http://[fd00::7]:8000', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'fd00::7' }, undefined],
  ['http://10.0.0.7:8000', { HTTP_PROXY: 'http://p:1', NO_PROXY: '192.168.0.0/16,10.0.0.0/8' }, undefined],
  ['http://11.0.0.7:8000', { HTTP_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8,fd00::/8,x/y' }, 'http://p:1'],
  ['http://[fd00::7]:8000', { HTTP_PROXY: 'http://p:1', NO_PROXY: 'fd00::/8' }, undefined],
  ['http://[fd00::7]:8000', { HTTP_PROXY: 'http://p:1', NO_PROXY: '[fd00::7]:8000' }, undefined],
])('calls %s with %j through %s', (origin, env, proxy) => {
  expect(proxyAt(origin, env)).toBe(proxy)
})

test('rejects an invalid proxy address before work starts, without showing it', async () => {
  const identify = (args: Record<string, unknown>, env: Record<string, string> = {}) =>
    openai.identify(
      parseModelArgs(openai, { model: 'm', base_url: 'https://api.test/v1', ...args }) as Parameters<
        typeof openai.identify
      >[0],
      contextOf(env),
    )
  await expect(identify({}, { ALL_PROXY: `socks5://me:${password}@h:1` })).rejects.toThrow(
    /^ALL_PROXY is no address of an HTTP proxy of the kind socks5:\/\/; write it like http:\/\/proxy:3128\. Without any: proxy=none/,
  )
  await expect(identify({ proxy: 'http://' })).rejects.toThrow(/^proxy is no address of an HTTP proxy; /)
  const named = await identify({ proxy: 'none' }, { ALL_PROXY: 'socks5://h:1' })
  expect(named.args).toEqual({ model: 'm', base_url: 'https://api.test/v1' })
})
