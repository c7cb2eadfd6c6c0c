import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { messageOf } from '../../../../../base/errors/errors.js'
import { publicFetch, type PublicHosts } from '../../../../../stages/input/datasets/locate/public-fetch.js'

type Resolve = NonNullable<PublicHosts['resolve']>

/** Resolves names to addresses by a table; the answers to one name are given one after another. */
function resolver(table: Readonly<Record<string, readonly string[][]>>): {
  readonly resolve: Resolve
  asked: string[]
} {
  const asked: string[] = []
  const resolve: Resolve = (host, _, done) => {
    const answers = table[host] ?? []
    const answer = answers[Math.min(asked.filter(name => name === host).length, answers.length - 1)] ?? []
    asked.push(host)
    const found = answer.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    setImmediate(() => done(null, found))
  }
  return { resolve, asked }
}

/** A server on this machine, with the paths of its requests. */
async function serve(location?: string): Promise<{ readonly port: number; readonly seen: string[] }> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.url ?? '')
    if (location !== undefined && request.url === '/') response.writeHead(302, { location }).end()
    else response.end('secret')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { port: (server.address() as AddressInfo).port, seen }
}

/** Returns the message of a fetch that must fail. */
const failure = (fetching: Promise<unknown>): Promise<string> =>
  fetching.then(
    () => 'it was answered',
    (error: unknown) => messageOf(error instanceof Error && error.cause instanceof Error ? error.cause : error),
  )

const isAllowedBesides =
  (host: string) =>
  (address: string): boolean =>
    address === host

describe('publicFetch refuses', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '１２７.０.０.１',
  ])('%s, in any notation', async host => {
    const { port, seen } = await serve()
    expect(await failure(publicFetch()(`http://${host}:${port}/x`))).toMatch(/is not an address of the public internet/)
    expect(seen).toEqual([])
  })

  test.each(['localhost', 'LOCALHOST'])('%s, which the operating system resolves', async host => {
    const { port, seen } = await serve()
    expect(await failure(publicFetch()(`http://${host}:${port}/x`))).toMatch(/is not an address of the public internet/)
    expect(seen).toEqual([])
  })

  test('a name that resolves to a private address, and names the address', async () => {
    const { resolve } = resolver({ 'inside.example': [['10.1.2.3']] })
    expect(await failure(publicFetch({ resolve })('http://inside.example/x'))).toBe(
      'inside.example is refused: 10.1.2.3 is not an address of the public internet',
    )
  })

  test('a name with one public and one private address', async () => {
    const { resolve } = resolver({ 'both.example': [['8.8.8.8', '127.0.0.1']] })
    expect(await failure(publicFetch({ resolve })('http://both.example/x'))).toMatch(/127\.0\.0\.1 is not an address/)
  })

  test('a redirect to this machine', async () => {
    const inner = await serve()
    const outer = await serve(`http://127.0.0.2:${inner.port}/inner`)
    const fetch = publicFetch({ isAllowed: isAllowedBesides('127.0.0.1') })
    expect(await failure(fetch(`http://127.0.0.1:${outer.port}/`))).toMatch(/127\.0\.0\.2 is refused/)
    expect(outer.seen).toEqual(['/'])
    expect(inner.seen).toEqual([])
  })

  test('a redirect to a name that resolves to a refused address', async () => {
    const inner = await serve()
    const outer = await serve(`http://inside.example:${inner.port}/inner`)
    const { resolve } = resolver({ 'inside.example': [['127.0.0.2']] })
    const fetch = publicFetch({ resolve, isAllowed: isAllowedBesides('127.0.0.1') })
    expect(await failure(fetch(`http://127.0.0.1:${outer.port}/`))).toMatch(/127\.0\.0\.2 is not an address/)
    expect(inner.seen).toEqual([])
  })
})

test('publicFetch connects to the checked address, so that a name is resolved only once', async () => {
  const { port, seen } = await serve()
  const names = resolver({ 'rebound.example': [['127.0.0.1'], ['127.0.0.2']] })
  const fetch = publicFetch({ resolve: names.resolve, isAllowed: isAllowedBesides('127.0.0.1') })
  const response = await fetch(`http://rebound.example:${port}/x`)
  expect(await response.text()).toBe('secret')
  expect(names.asked).toEqual(['rebound.example'])
  expect(seen).toEqual(['/x'])
})

test('publicFetch follows redirects between allowed hosts and passes headers', async () => {
  const inner = await serve()
  const outer = await serve(`http://127.0.0.1:${inner.port}/inner`)
  const response = await publicFetch({ isAllowed: () => true })(`http://127.0.0.1:${outer.port}/`, {
    headers: { 'accept-encoding': 'identity' },
  })
  expect(await response.text()).toBe('secret')
  expect(response.ok).toBe(true)
  expect(inner.seen).toEqual(['/inner'])
})
