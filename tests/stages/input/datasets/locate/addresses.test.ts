import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import {
  AddressError,
  fetchedFile,
  fetchingBy,
  isAddress,
  shownAddress,
} from '../../../../../stages/input/datasets/locate/addresses.js'
import { publicFetch } from '../../../../../stages/input/datasets/locate/public-fetch.js'
import { temporaryFolder } from '../../../../support/store.js'

/** A server on a real socket, with the requests that it got. */
async function serve(
  answer: (request: IncomingMessage, response: ServerResponse, index: number) => void,
): Promise<{ readonly url: string; readonly seen: IncomingMessage[]; close(): void }> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    answer(request, response, seen.length - 1)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}

test('downloads a file once, and checks for changes only if asked', async () => {
  let text = 'first'
  const server = await serve((request, response) => {
    if (request.headers['if-none-match'] === text) response.writeHead(304).end()
    else response.writeHead(200, { etag: text }).end(text)
  })
  const cacheDir = await temporaryFolder()
  const bring = async (isRenewed: boolean) => {
    const place = await fetchedFile(`${server.url}/a/rows.jsonl.gz?v=1`, { cacheDir, isRenewed })
    expect(place).toMatch(/\.jsonl\.gz$/)
    return readFile(place, 'utf8')
  }
  expect(await bring(false)).toBe('first')
  expect(await bring(false)).toBe('first')
  expect(server.seen).toHaveLength(1)
  expect(await bring(true)).toBe('first')
  text = 'second'
  expect(await bring(false)).toBe('first')
  expect(await bring(true)).toBe('second')
  server.close()
  expect(await bring(true)).toBe('second')
})

test('repeats an interrupted download and leaves no partial file', async () => {
  const server = await serve((_, response, index) => {
    response.writeHead(200, { 'content-length': '5' })
    if (index > 0) response.end('whole')
    else response.write('wh', () => response.destroy())
  })
  const place = await fetchedFile(`${server.url}/a.txt`, { cacheDir: await temporaryFolder(), isRenewed: false })
  expect(await readFile(place, 'utf8')).toBe('whole')
  expect(server.seen).toHaveLength(2)
})

test('an error shows no secret of the address, and is not retried', async () => {
  const server = await serve((_, response) => response.writeHead(404).end())
  const asked = fetchedFile(`${server.url}/a.png?token=s3cret`, { cacheDir: await temporaryFolder(), isRenewed: false })
  const error: unknown = await asked.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(AddressError)
  expect(String(error)).toContain(`${server.url}/a.png answered 404`)
  expect(String(error)).not.toContain('s3cret')
  expect(server.seen).toHaveLength(1)
})

test('distinguishes addresses from paths', () => {
  expect(['https://a.b/c', 'HTTP://a', 'a/https://b', 'c:/d', 'hf://datasets/a/b'].map(isAddress)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect(shownAddress('https://u:p@a.b/c?d=e')).toBe('https://a.b/c')
})

const limits = { silenceMs: 60_000, totalMs: 60_000, bytes: 2 ** 20 }

test('names the reason if a server does not answer, is too slow or sends without end', async () => {
  const server = await serve((request, response) => {
    if (request.url === '/silent') return
    response.writeHead(200)
    const write = (): void => {
      if (!response.destroyed) response.write('0123456789', () => setImmediate(write))
    }
    write()
  })
  onTestFinished(() => server.close())
  const bring = async (path: string, given: Partial<typeof limits>) =>
    fetchedFile(`${server.url}${path}`, {
      cacheDir: await temporaryFolder(),
      isRenewed: false,
      limits: { ...limits, ...given },
    }).catch((error: unknown) => (error instanceof AddressError ? error.message : error))
  expect(await bring('/silent', { silenceMs: 50 })).toMatch(/\/silent can't be read: nothing came for 0\.05 s$/)
  expect(server.seen).toHaveLength(3)
  expect(await bring('/endless', {})).toMatch(/\/endless has more than 1048576 bytes$/)
  expect(await bring('/endless', { bytes: Infinity, totalMs: 100 })).toMatch(/took longer than 0\.1 s$/)
  expect(server.seen).toHaveLength(5)
})

test('an aborted signal ends a download at once with its reason', async () => {
  const control = new AbortController()
  const server = await serve(() => control.abort(new Error('enough')))
  onTestFinished(() => server.close())
  const fetching = { cacheDir: await temporaryFolder(), isRenewed: false, signal: control.signal }
  await expect(fetchedFile(`${server.url}/a.png`, fetching)).rejects.toThrow('enough')
})

test.each([
  'http://',
  'https://',
  'http://ho[st/a.png',
  'http://[x',
  'https://exa mple.org/a.png',
  'http://host:99999/a.png',
  'http://host:port/a.png',
  'https://%zz/a.png',
  'http://[fe80::1%25lo]/a.png',
  'http://1.2.3.4.5/a.png',
  'https://user@:80/a.png',
  'http://a^b/a.png',
])('a malformed address is an error of its own and is asked of no server: %s', async address => {
  const fetch = () => Promise.reject(new Error('internal error: it was asked'))
  const bring = fetchedFile(address, { cacheDir: await temporaryFolder(), isRenewed: false, fetch })
  const error: unknown = await bring.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(AddressError)
  expect(error).toMatchObject({
    isPassing: false,
    message: expect.stringMatching(/^"http.* is not an address: /) as string,
  })
})

test('the message of a malformed address has no password, no parameters and a limited length', async () => {
  const bring = async (address: string): Promise<string> =>
    fetchedFile(address, { cacheDir: await temporaryFolder(), isRenewed: false }).then(
      () => 'none',
      (error: unknown) => String(error),
    )
  expect(await bring('http://me:secret@ho[st/a.png?token=abc#x')).toContain('"http://ho[st/a.png" is not an address')
  expect((await bring(`http://[${'x'.repeat(10_000)}`)).length).toBeLessThan(400)
})

test('an address with a user and password is refused without them', async () => {
  const bring = fetchedFile('http://me:secret@127.0.0.1:1/a.png?token=abc', {
    cacheDir: await temporaryFolder(),
    isRenewed: false,
  })
  await expect(bring).rejects.toThrow(
    'http://127.0.0.1:1/a.png holds a user or a password, with which nothing is fetched. Store the file, or an address without them',
  )
})

test('files that an unguarded download kept are asked again under a guard, also behind a redirect', async () => {
  const hidden = await serve((_, response) => void response.end('private'))
  const server = await serve((_, response) => void response.writeHead(302, { location: `${hidden.url}/b.txt` }).end())
  const cacheDir = await temporaryFolder()
  const access = { cacheDir }
  const guarded = { ...access, fetchAddress: publicFetch({ isAllowed: address => address !== '127.0.0.1' }) }
  for (const address of [`${hidden.url}/a.txt`, `${server.url}/a.txt`])
    for (const isRenewed of [false, true]) {
      expect(await readFile(await fetchedFile(address, fetchingBy(access, { isRenewed })), 'utf8')).toBe('private')
      await expect(fetchedFile(address, fetchingBy(guarded, { isRenewed }))).rejects.toThrow(/is refused/)
    }
  // With an unreachable server, too, no file of the other kind is used.
  hidden.close()
  server.close()
  await expect(fetchedFile(`${server.url}/a.txt`, fetchingBy(guarded, { isRenewed: true }))).rejects.toThrow(
    AddressError,
  )
})

test('files that a guard let through are reused under it', async () => {
  const server = await serve((_, response) => void response.end('open'))
  const guarded = { cacheDir: await temporaryFolder(), fetchAddress: publicFetch({ isAllowed: () => true }) }
  for (let round = 0; round < 2; round += 1)
    expect(
      await readFile(await fetchedFile(`${server.url}/a.txt`, fetchingBy(guarded, { isRenewed: false })), 'utf8'),
    ).toBe('open')
  expect(server.seen).toHaveLength(1)
})
