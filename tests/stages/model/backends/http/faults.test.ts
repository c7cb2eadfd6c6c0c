import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import type { AnyBackend } from '../../../../../stages/model/define-backend.js'
import { anthropic } from '../../../../../stages/model/backends/anthropic.js'
import { openai } from '../../../../../stages/model/backends/openai.js'
import { askBackend } from '../../../../support/backend-client.js'
import { eventText } from '../../../../support/event-text.js'
import { completion } from '../../../../support/fake-openai.js'
import { rawAnswer, startRawServer, type RawRequest, type RawServerOptions } from '../../../../support/raw-server.js'

const key = 'sk-very-secret-0123456789'
const good = JSON.stringify(completion('yes'))

async function connect(options: RawServerOptions, args: Record<string, unknown> = {}, backend: AnyBackend = openai) {
  const server = await startRawServer(options)
  onTestFinished(() => server.close())
  const env = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key }
  const client = await askBackend(backend, { model: 'm', base_url: `${server.url}/v1`, ...args }, env)
  return { ...client, server }
}

const sending =
  (...bytes: (string | Buffer)[]) =>
  ({ socket }: RawRequest) =>
    bytes.forEach(piece => socket.write(piece))
const closing =
  (bytes: string | Buffer) =>
  ({ socket }: RawRequest) =>
    void socket.end(bytes)
const error = (status: string, body: unknown, headers: Record<string, string> = {}) =>
  sending(rawAnswer(typeof body === 'string' ? body : JSON.stringify(body), headers, status))
const html = (status: string) => error(status, '<html><h1>Sign in</h1></html>', { 'content-type': 'text/html' })
/** One frame of one raw block. */
function zstandard(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32LE(bytes.length, 5)
  head.writeUIntLE((bytes.length << 3) | 1, 9, 3)
  return Buffer.concat([head, bytes])
}
const short = rawAnswer(good, { 'content-length': Buffer.byteLength(good) + 7 })

type Told = readonly [name: string, reply: (request: RawRequest) => void, what: string, retry: boolean, words: RegExp]

const faults: readonly Told[] = [
  [
    'a reset before the answer',
    ({ socket }) => void socket.resetAndDestroy(),
    'server',
    true,
    /closed the connection before its answer/,
  ],
  ['an end before the answer', ({ socket }) => void socket.end(), 'server', true, /closed .* before its answer/],
  [
    'a reset amid the answer',
    ({ socket }) => void socket.write(rawAnswer('{"cho', { 'content-length': 99 }), () => socket.resetAndDestroy()),
    'server',
    true,
    /closed the connection amid its answer/,
  ],
  ['an end amid the answer', closing(short), 'server', true, /amid its answer|shorter or longer/],
  [
    'an end amid chunks',
    closing('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"cho\r\n'),
    'server',
    true,
    /amid its answer/,
  ],
  ['truncated JSON', sending(rawAnswer(good.slice(0, -9))), 'server', true, /broken JSON/],
  ['a length that cuts the JSON', sending(rawAnswer(good, { 'content-length': 9 })), 'server', true, /broken JSON/],
  [
    'an error under status 200',
    sending(rawAnswer('{"error":{"message":"busy","code":503}}')),
    'server',
    true,
    /503 busy/,
  ],
  [
    'a limit under status 200',
    sending(rawAnswer('{"error":{"message":"slow down","code":"429"}}')),
    'rate_limited',
    true,
    /429 slow down/,
  ],
  ['no choices', sending(rawAnswer('{"choices":[]}')), 'server', true, /without a choice/],
  ['an answer of another kind', sending(rawAnswer('{"hello":1}')), 'server', true, /something else than a chat/],
  ['JSON that is no object', sending(rawAnswer('null')), 'server', true, /something else than a chat/],
  [
    'a content filter',
    sending(rawAnswer(JSON.stringify(completion('ye', 'content_filter')))),
    'refused',
    false,
    /filter/,
  ],
  ['a login page', html('200 OK'), 'server', true, /web page \(text\/html\): does base_url lead to an API/],
  ['a page of a gateway', html('502 Bad Gateway'), 'server', true, /^502 /],
  ['no content', sending('HTTP/1.1 204 No Content\r\n\r\n'), 'server', true, /without content/],
  ['an empty body', sending(rawAnswer('')), 'server', true, /without content/],
  [
    'a redirect',
    sending('HTTP/1.1 307 Temporary Redirect\r\nlocation: https://there/v2\r\ncontent-length: 0\r\n\r\n'),
    'invalid_request',
    false,
    /redirect to https:\/\/there\/v2: give the address/,
  ],
  [
    'a redirect to nowhere',
    sending('HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n'),
    'invalid_request',
    false,
    /leads nowhere/,
  ],
  ['something else than HTTP', closing('SSH-2.0-OpenSSH_9.2\r\n'), 'server', true, /something else than HTTP.*https:/],
  [
    'a broken encoding',
    sending(rawAnswer('no gzip', { 'content-encoding': 'gzip' })),
    'server',
    true,
    /encoded answer/,
  ],
  [
    'half of an encoded answer',
    sending(rawAnswer(gzipSync(good).subarray(0, 30), { 'content-encoding': 'gzip' })),
    'server',
    true,
    /encoded answer is broken/,
  ],
  [
    'half of an answer in Zstandard',
    sending(rawAnswer(zstandard(good).subarray(0, 30), { 'content-encoding': 'zstd' })),
    'server',
    true,
    /encoded answer is broken/,
  ],
  [
    'half of a raw deflated answer',
    sending(rawAnswer(deflateRawSync(good).subarray(0, 30), { 'content-encoding': 'deflate' })),
    'server',
    true,
    /encoded answer is broken/,
  ],
  [
    'an encoding that nobody asked for',
    sending(rawAnswer('x', { 'content-encoding': 'compress' })),
    'server',
    true,
    /encoding compress/,
  ],
  [
    'headers without end',
    sending(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`),
    'server',
    true,
    /headers of the answer are too large/,
  ],
  [
    '401',
    error('401 Unauthorized', { error: { message: 'Incorrect API key' } }),
    'invalid_request',
    false,
    /check OPENAI_API_KEY/,
  ],
  [
    'a field of streams that the server does not know',
    error('400 Bad Request', { error: { message: 'Unrecognized request argument supplied: stream_options' } }),
    'invalid_request',
    false,
    /give stream=false, or omit=stream_options/,
  ],
  ['413', error('413 Payload Too Large', 'too large'), 'invalid_request', false, /larger than the server takes/],
  ['408', error('408 Request Timeout', 'too slow'), 'timeout', true, /^408 too slow/],
  [
    'a used-up account',
    error('402 Payment Required', { error: { message: 'pay' } }),
    'rate_limited',
    false,
    /^402 pay/,
  ],
]

test.each(faults)('classes %s and says what to do', async (_, reply, name, isRetryable, words) => {
  const { failure, server } = await connect({ reply })
  const told = await failure()
  expect([told.class, told.isRetryable]).toEqual([name, isRetryable])
  expect(told.message).toMatch(words)
  expect(server.seen).toHaveLength(1)
})

test.each([
  ['null content', completion(null), ''],
  ['an empty text', completion(''), ''],
  ['only reasoning', completion(null, 'length', { reasoning_content: 'hm' }), ''],
])('accepts %s as an answer', async (_, body, text) => {
  const { ask } = await connect({ reply: sending(rawAnswer(JSON.stringify(body))) })
  expect((await ask()).body.text).toBe(text)
})

const goOn = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
const goOnFor = Buffer.from('HTTP/1.1 100\r\nserver: some gateway\r\n\r\n')

test.each([
  ['in one piece', [rawAnswer(good)]],
  ['byte by byte', [...rawAnswer(good)].map(byte => Buffer.of(byte))],
  ['encoded with gzip', [rawAnswer(gzipSync(good), { 'content-encoding': 'gzip' })]],
  ['encoded with deflate', [rawAnswer(deflateSync(good), { 'content-encoding': 'deflate' })]],
  ['encoded with deflate alone', [rawAnswer(deflateRawSync(good), { 'content-encoding': 'deflate' })]],
  ['encoded with Zstandard', [rawAnswer(zstandard(good), { 'content-encoding': 'zstd' })]],
  ['encoded with brotli', [rawAnswer(brotliCompressSync(good), { 'content-encoding': 'br' })]],
  ['with a byte order mark', [rawAnswer(`\uFEFF${good}`)]],
  ['after empty lines that kept the connection alive', [rawAnswer(`\n\n\n${good}`)]],
  ['after an interim answer', ['HTTP/1.1 103 Early Hints\r\n\r\n', rawAnswer(good)]],
  ['after it was said that the request may go on', ['HTTP/1.1 100 Continue\r\n\r\n', rawAnswer(good)]],
  ['after that was said twice, in one piece with it', [Buffer.concat([goOn, goOn, rawAnswer(good)])]],
  [
    'after that was said with a header, byte by byte',
    [...Buffer.concat([goOnFor, rawAnswer(good)])].map(byte => Buffer.of(byte)),
  ],
  ['with another status of success', [rawAnswer(good, {}, '201 Created')]],
])('reads an answer %s', async (_, pieces) => {
  const { ask } = await connect({ reply: sending(...pieces) })
  expect((await ask()).body.text).toBe('yes')
})

test('skips "100 Continue" on a reused socket, but not inside an answer', async () => {
  const words = 'HTTP/1.1 100 Continue\r\n\r\n'
  const spoken = JSON.stringify(completion(words))
  // The second chunk of the answer begins like the text that is skipped only at the beginning of an answer.
  const pieces = [rawAnswer('', { 'content-length': Buffer.byteLength(spoken) + words.length }), words, spoken]
  const reply = ({ socket, index }: RawRequest) => {
    if (index !== 1) return sending(goOn, rawAnswer(good))({ socket } as RawRequest)
    const [head, first, second] = pieces
    socket.write(head!, () => socket.write(first!, () => socket.write(second!)))
  }
  const { ask, failure, server } = await connect({ reply })
  expect((await ask()).body.text).toBe('yes')
  expect((await failure()).message).toContain('HTTP/1.1 100 Continue')
  expect((await ask()).body.text).toBe('yes')
  expect(server.connections()).toBe(1)
})

test('reads an answer that ends with the connection', async () => {
  const { ask } = await connect({ reply: closing(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${good}`) })
  expect((await ask()).body.text).toBe('yes')
})

test('does not follow a loop of redirects', async () => {
  const location = ({ socket }: RawRequest) => {
    const { localPort } = socket
    socket.write(
      `HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:${localPort}/v1/chat/completions\r\ncontent-length: 0\r\n\r\n`,
    )
  }
  const { failure, server } = await connect({ reply: location })
  expect((await failure()).class).toBe('invalid_request')
  expect(server.seen).toHaveLength(1)
})

test('does not show a key in the address of a redirect', async () => {
  const location = `/login?key=${key}&token=${Buffer.from(key).toString('base64')}`
  const reply = sending(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)
  const { failure } = await connect({ reply })
  const { message } = await failure()
  expect(message).toContain('/login?key=***')
  expect(message).not.toContain(Buffer.from(key).toString('base64'))
})

test.each([
  ['retry-after', { 'retry-after': '7' }, 7_000],
  ['an exact time', { 'retry-after-ms': '120', 'retry-after': '1' }, 120],
  [
    'the limit that is used up',
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '6m0s',
      'x-ratelimit-remaining-tokens': '5',
    },
    60_000,
  ],
  [
    'the shorter time until a limit is full again',
    { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' },
    120,
  ],
  ['limits that are not used up', { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '1s' }, undefined],
  ['nothing', {}, undefined],
])('waits as long as a rate limit with %s says', async (_, headers, waitMs) => {
  const { failure } = await connect({
    reply: error('429 Too Many Requests', { error: { message: 'slow down' } }, { ...headers }),
  })
  const told = await failure()
  expect([told.class, told.isRetryable, told.retryAfter]).toEqual(['rate_limited', true, waitMs])
})

test.each([
  ['Rate limit reached for m on tokens per min. Please try again in 1m2.5s. Visit https://there.', 62_500],
  ['Please try again in 20ms.', 20],
  ['Please try again later.', undefined],
])('waits as long as the message says: %s', async (message, waitMs) => {
  const { failure } = await connect({ reply: error('429 Too Many Requests', { error: { message } }) })
  expect((await failure()).retryAfter).toBe(waitMs)
})

test.each([
  ['529 Overloaded', 'overloaded_error', 'server', true],
  ['429 Too Many Requests', 'rate_limit_error', 'rate_limited', true],
  ['401 Unauthorized', 'authentication_error', 'invalid_request', false],
  ['413 Payload Too Large', 'request_too_large', 'invalid_request', false],
])('classes %s of Anthropic', async (status, type, name, isRetryable) => {
  const body = { type: 'error', error: { type, message: 'told to' } }
  const { failure } = await connect({ reply: error(status, body) }, {}, anthropic)
  const told = await failure()
  expect([told.class, told.isRetryable]).toEqual([name, isRetryable])
  if (type === 'authentication_error') expect(told.message).toContain('check ANTHROPIC_API_KEY')
})

test.each([
  ['401 Unauthorized', true],
  ['403 Forbidden', true],
  ['404 Not Found', true],
  ['308 Permanent Redirect', true],
  ['400 Bad Request', false],
  ['500 Internal Server Error', false],
])('decides whether %s is an access failure: %s', async (status, isAccess) => {
  const { failure } = await connect({ reply: error(status, { error: { message: 'no' } }) })
  expect((await failure()).isAccess).toBe(isAccess)
})

test('a wrong key that xAI reports with status 400 is an access failure', async () => {
  const body = { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: x***y.' }
  const { failure } = await connect({ reply: error('400 Bad Request', body) })
  const told = await failure()
  expect(told.isAccess).toBe(true)
  expect(told.message).toContain('check OPENAI_API_KEY')
})

test('a prompt that moderation flags with status 403 is not an access failure', async () => {
  const metadata = { reasons: ['violence'], flagged_input: 'How…' }
  const { failure } = await connect({ reply: error('403 Forbidden', { error: { message: 'flagged', metadata } }) })
  expect(await failure()).toMatchObject({ class: 'refused', isAccess: false })
})

test('says that the server speaks no TLS, and does not retry', async () => {
  const server = await startRawServer({ reply: () => undefined, connected: socket => socket.write('220 hello\r\n') })
  onTestFinished(() => server.close())
  const { failure } = await connect({ reply: () => undefined }, { base_url: `https://127.0.0.1:${server.port}/v1` })
  const told = await failure()
  expect([told.class, told.isRetryable]).toEqual(['server', false])
  expect(told.message).toContain('is it http:// and not https://?')
})

test('says that nothing listens at the port', async () => {
  const { failure, server } = await connect({ reply: () => undefined })
  await server.close()
  const told = await failure()
  expect([told.class, told.isRetryable]).toEqual(['server', true])
  expect(told.message).toMatch(/nobody listens there \(ECONNREFUSED\): is the server running/)
})

test('a host that sends nothing is a timeout', async () => {
  const { failure } = await connect({ reply: () => undefined }, { timeout: 0.05 })
  const told = await failure()
  expect([told.class, told.isRetryable]).toEqual(['timeout', true])
  expect(told.message).toContain('no answer within 0.05 s')
})

test('aborts a request that the server does not read', async () => {
  const { failure } = await connect(
    { reply: () => undefined, connected: socket => void socket.pause() },
    { stall_timeout: 0.05 },
  )
  const told = await failure('x'.repeat(32 * 1024 * 1024))
  expect([told.class, told.isRetryable]).toEqual(['timeout', true])
  expect(told.message).toContain('no byte of the request moved for 0.05 s')
})

test.each([
  ['amid the answer', rawAnswer('{"cho', { 'content-length': 99 }), false, 0.05],
  ['after its headers', rawAnswer('', { 'content-length': 99 }), false, 0.25],
  [
    'before the first piece of a stream',
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
    true,
    0.25,
  ],
  ['before any answer to a request for a stream', '', true, 0.25],
])('aborts if a server stalls %s', async (_, bytes, stream, seconds) => {
  const { failure } = await connect({ reply: sending(bytes) }, { stall_timeout: 0.05, stream })
  const told = await failure()
  expect([told.class, told.isRetryable]).toEqual(['timeout', true])
  expect(told.message).toContain(`no byte of the answer moved for ${seconds} s`)
})

test('reuses a socket, and opens another one if the server closed it', async () => {
  const ends = [false, true, false]
  const { watched, server } = await connect({
    reply: ({ socket, index }) => {
      const headers = ends[index] === true ? { connection: 'close' } : {}
      socket.write(rawAnswer(good, headers), () => ends[index] === true && socket.end())
    },
  })
  const sockets: boolean[] = []
  for (let request = 0; request < 3; request++)
    await watched('Hi', event => event.type === 'connected' && sockets.push(event.isReused))
  expect(sockets).toEqual([false, true, false])
  expect(server.seen.map(({ connection }) => connection)).toEqual([0, 0, 1])
})

test('does not reuse a socket that the server closed silently after a stream', async () => {
  const text = eventText([{ choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }] }, '[DONE]'])
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
  const chunk = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
  const { ask, server } = await connect({ reply: closing(head + chunk) }, { stream: true })
  for (let request = 0; request < 5; request++) expect((await ask()).body.text).toBe('yes')
  expect(server.connections()).toBe(5)
})

test('reports the bytes of an attempt and the rate limits that the server states', async () => {
  const { watched, server } = await connect({
    reply: sending(rawAnswer(good, { 'x-ratelimit-limit-requests': 60, 'x-ratelimit-remaining-requests': 59 })),
  })
  const told: unknown[] = []
  await watched('Hi', event => told.push(event))
  expect(told).toEqual([
    { type: 'connected', isReused: false },
    { type: 'sent', bytes: server.seen[0]!.body.length },
    { type: 'limits', limits: { requests: { limit: 60, remaining: 59 } } },
    { type: 'received', bytes: good.length },
    { type: 'served', model: 'fake' },
  ])
})

test('reads rate limits from an error response, too', async () => {
  const { watched } = await connect({
    reply: error('429 Too Many Requests', 'slow down', { 'x-ratelimit-remaining-tokens': '0' }),
  })
  const told: unknown[] = []
  await expect(watched('Hi', event => event.type === 'limits' && told.push(event.limits))).rejects.toThrow('429')
  expect(told).toEqual([{ tokens: { remaining: 0 } }])
})

test('reports the progress of a large request', async () => {
  const { watched, server } = await connect({ reply: sending(rawAnswer(good)) })
  const pieces: number[] = []
  await watched('x'.repeat(1_000_000), event => event.type === 'sent' && pieces.push(event.bytes))
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces.reduce((sum, bytes) => sum + bytes, 0)).toBe(server.seen[0]!.body.length)
})
