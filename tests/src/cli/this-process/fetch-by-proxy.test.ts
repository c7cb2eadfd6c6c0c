import { getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { fetchByProxy } from '../../../../src/cli/this-process/fetch-by-proxy.js'
import { describeCause } from '../../../../stages/input/datasets/hub/hub-fetch.js'
import { startFakeProvider } from '../../../support/fake-provider.js'
import { startFakeProxy } from '../../../support/fake-proxy.js'

test('sends requests through the proxy of the environment, except to localhost', async () => {
  const before = getGlobalDispatcher()
  onTestFinished(() => setGlobalDispatcher(before))
  const server = await startFakeProvider(() => ({ body: { data: 'here' } }))
  onTestFinished(() => server.close())
  const proxy = await startFakeProxy({ hosts: { 'data.test': new URL(server.url).host } })
  onTestFinished(() => proxy.close())
  await fetchByProxy({})
  expect(getGlobalDispatcher()).toBe(before)
  await fetchByProxy({ HTTP_PROXY: `http://me:hidden@${proxy.host}`, NO_PROXY: 'other.test' })
  expect(await (await fetch('http://data.test/rows?a=1')).json()).toEqual({ data: 'here' })
  expect(await (await fetch(`${server.url}/own`)).json()).toEqual({ data: 'here' })
  await expect(fetch('http://other.test/rows')).rejects.toThrow()
  const login = `Basic ${Buffer.from('me:hidden').toString('base64')}`
  expect(proxy.calls).toEqual([{ target: 'GET http://data.test/rows?a=1', login, host: 'data.test' }])
  expect(server.seen.map(({ path }) => path)).toEqual(['/rows?a=1', '/own'])
})

test('rejects an unsupported kind of proxy when something is fetched', async () => {
  const before = getGlobalDispatcher()
  onTestFinished(() => setGlobalDispatcher(before))
  await fetchByProxy({ HTTP_PROXY: 'socks5://me:hidden@proxy:1' })
  const error: unknown = await fetch('http://data.test/rows').catch((reason: unknown) => reason)
  expect(describeCause(error)).toMatch(/^HTTP_PROXY is no address of an HTTP proxy of the kind socks5:/)
  expect(describeCause(error)).not.toContain('hidden')
})
