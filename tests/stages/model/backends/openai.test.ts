import { makeLastingFile } from '../../../../cache/media/lasting-file.js'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../../cache/digest.js'
import type { ContentPart, GenerationKwargs } from '../../../../cache/records.js'
import { openai } from '../../../../stages/model/backends/openai.js'
import type { BackendContext } from '../../../../stages/model/define-backend.js'
import { AttemptError, type ModelRequest } from '../../../../stages/model/model.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { completion, startFakeOpenai, type FakeOptions, type Fault } from '../../../support/fake-openai.js'

const key = 'sk-very-secret-0123456789'
const cleanUps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function mediaFolder(): Promise<{
  context: BackendContext
  add: (bytes: Buffer, name?: MediaDigest) => Promise<MediaDigest>
}> {
  const dir = await mkdtemp(join(tmpdir(), 'openai-test-'))
  cleanUps.push(() => rm(dir, { recursive: true }))
  const mediaPath = (digest: MediaDigest) => join(dir, digest.slice(7))
  return {
    context: {
      env: { OPENAI_API_KEY: key },
      readMedia: () => Promise.reject(new Error('streamed instead')),
      openMediaFile: digest => Promise.resolve(makeLastingFile(mediaPath(digest))),
      fileDigest: () => Promise.reject(new Error('not needed')),
    },
    async add(bytes, name = sha256<'media'>(bytes)) {
      await writeFile(mediaPath(name), bytes)
      return name
    },
  }
}

async function connect(options: FakeOptions = {}, args: Record<string, unknown> = {}) {
  const server = await startFakeOpenai(options)
  cleanUps.push(() => server.close())
  const media = await mediaFolder()
  const parsed = parseModelArgs(openai, { model: 'm-1', base_url: server.url, ...args })
  const model = await openai.open(parsed as Parameters<typeof openai.open>[0], media.context)
  cleanUps.push(() => model.close!())
  const ask = (content: string | readonly ContentPart[] = 'Hi', generation: GenerationKwargs = {}) =>
    model.answer(request(content, generation), new AbortController().signal)
  return { server, ask, model, addMedium: media.add, sent: () => JSON.parse(server.seen.at(-1)!.text) as unknown }
}

const request = (content: string | readonly ContentPart[], generation: GenerationKwargs = {}): ModelRequest => ({
  input: {
    type: 'generate_until',
    messages: [{ role: 'user', content: typeof content === 'string' ? [{ type: 'text', text: content }] : content }],
  },
  generation,
  sample: 0,
})

async function failureOf(attempt: Promise<unknown>): Promise<AttemptError> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(AttemptError)
  return error as AttemptError
}

test('a request follows the protocol, with the key only in its header', async () => {
  const { ask, server, sent } = await connect({ answer: () => 'yes' })
  const answer = await ask('Say "yes".\n', {
    max_new_tokens: 16,
    temperature: 0.5,
    top_p: 0.9,
    until: ['\n\n'],
    seed: 7,
    do_sample: true,
  })
  expect(answer).toEqual({ body: { text: 'yes', finishReason: 'stop' }, usage: { inputTokens: 7, outputTokens: 3 } })
  expect(sent()).toEqual({
    model: 'm-1',
    max_tokens: 16,
    temperature: 0.5,
    top_p: 0.9,
    stop: ['\n\n'],
    seed: 7,
    messages: [{ role: 'user', content: 'Say "yes".\n' }],
  })
  expect(server.seen[0]!.path).toBe('/v1/chat/completions')
  expect(server.seen[0]!.headers).toMatchObject({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
})

test('sends temperature 0 by default, because keys assume it', async () => {
  const { ask, sent } = await connect()
  await ask()
  expect(sent()).toMatchObject({ temperature: 0 })
})

test('arguments rename the limit, omit fields and add fields', async () => {
  const { ask, sent } = await connect(
    {},
    {
      max_tokens_field: 'max_completion_tokens',
      omit: 'temperature',
      reasoning_effort: 'low',
      extra_body: '{"chat_template_kwargs":{"enable_thinking":false}}',
    },
  )
  await ask('Hi', { max_new_tokens: 8 })
  expect(sent()).toEqual({
    model: 'm-1',
    max_completion_tokens: 8,
    reasoning_effort: 'low',
    chat_template_kwargs: { enable_thinking: false },
    messages: [{ role: 'user', content: 'Hi' }],
  })
})

test('applies more stop sequences than servers accept', async () => {
  const { ask, sent } = await connect({ answer: () => 'one. two; three' })
  const answer = await ask('Hi', { until: ['a!', 'b!', 'c!', ';', '.'] })
  expect(answer.body.text).toBe('one')
  expect(sent()).not.toHaveProperty('stop')
})

test('cuts off a stop sequence that the server left in the answer', async () => {
  const { ask } = await connect({ answer: () => completion('Paris\nFrance', 'length') })
  expect((await ask('Hi', { until: ['\n'] })).body).toEqual({
    text: 'Paris',
    finishReason: 'stop',
    rawFinishReason: 'length',
  })
})

test('sends images of any size as original bytes, with the type detected from the bytes', async () => {
  const { ask, addMedium, sent, server } = await connect({}, { detail: 'high' })
  for (const size of [57, 1000, 3 * 64 * 1024, 3 * 64 * 1024 + 1, 500_000, 5_000_000]) {
    const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(size, 'ü')])
    const media = await addMedium(bytes)
    await ask([
      { type: 'image', media },
      { type: 'text', text: 'Wie groß?' },
    ])
    expect(sent()).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image_url',
              image_url: { url: `data:image/png;base64,${bytes.toString('base64')}`, detail: 'high' },
            },
            { type: 'text', text: 'Wie groß?' },
          ],
        },
      ],
    })
    expect(server.seen.at(-1)!.headers['content-length']).toBe(String(Buffer.byteLength(server.seen.at(-1)!.text)))
  }
})

test('sends audio in base64 with its format', async () => {
  const { ask, addMedium, sent } = await connect()
  const bytes = Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  await ask([{ type: 'audio', media: await addMedium(bytes) }])
  expect(sent()).toMatchObject({
    messages: [{ content: [{ type: 'input_audio', input_audio: { data: bytes.toString('base64'), format: 'wav' } }] }],
  })
})

test('sends a video in base64, in the form that inference engines share', async () => {
  const { ask, addMedium, sent } = await connect()
  const bytes = Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isommp42', 'latin1')
  await ask([{ type: 'video', media: await addMedium(bytes) }])
  const url = `data:video/mp4;base64,${bytes.toString('base64')}`
  expect(sent()).toMatchObject({ messages: [{ content: [{ type: 'video_url', video_url: { url } }] }] })
})

test('a damaged medium is a media failure, and no server gets all of it', async () => {
  const { ask, addMedium, server } = await connect()
  const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(400_000)])
  const media = await addMedium(bytes, sha256<'media'>('another'))
  const failure = await failureOf(ask([{ type: 'image', media }]))
  expect([failure.class, failure.isRetryable]).toEqual(['media', false])
  expect(failure.message).toContain(media)
  expect(server.stats().requests).toBe(0)
})

test.each([
  ['is missing', undefined],
  ['is no image', Buffer.from('hello')],
])('a medium that %s is a media failure', async (_, bytes) => {
  const { ask, addMedium } = await connect()
  const media = bytes === undefined ? sha256<'media'>('nothing') : await addMedium(bytes)
  const failure = await failureOf(ask([{ type: 'image', media }]))
  expect([failure.class, failure.isRetryable]).toEqual(['media', false])
})

test('rejects a requested derivation that is not supported, instead of ignoring it', async () => {
  const { ask, addMedium } = await connect()
  const media = await addMedium(Buffer.from('GIF89a'))
  const failure = await failureOf(ask([{ type: 'image', media, derive: { longest_side: 512 } }]))
  expect([failure.class, failure.message]).toEqual(['invalid_request', expect.stringContaining('longest_side')])
})

/** The format of OpenRouter. */
const brokenChoice = (code: number) => ({
  choices: [{ error: { code, message: 'down' }, finish_reason: 'stop', message: { role: 'assistant', content: '' } }],
})
const flagged = {
  error: { code: 403, message: 'your input was flagged', metadata: { reasons: ['violence'], flagged_input: 'How…' } },
}

const faults: readonly (readonly [string, Fault, string, boolean])[] = [
  ['429', { status: 429 }, 'rate_limited', true],
  [
    'a used-up account',
    { status: 429, body: { error: { message: 'pay', code: 'insufficient_quota' } } },
    'rate_limited',
    false,
  ],
  ['408', { status: 408 }, 'timeout', true],
  ['500', { status: 500 }, 'server', true],
  ['503 with HTML', { status: 503, body: '<html>busy</html>' }, 'server', true],
  ['a reset', 'reset', 'server', true],
  ['malformed JSON', 'malformed', 'server', true],
  ['a truncated answer', 'truncated', 'server', true],
  ['an answer in HTML', 'html', 'server', true],
  ['an error under status 200', 'error-in-200', 'server', true],
  ['no choices', 'empty-choices', 'server', true],
  ['an error in a choice', { status: 200, body: brokenChoice(502) }, 'server', true],
  ['a refused key in a choice', { status: 200, body: brokenChoice(401) }, 'invalid_request', false],
  ['a prompt that a moderator flagged', { status: 403, body: flagged }, 'refused', false],
  ['a content filter', 'content-filter', 'refused', false],
  ['a filtered prompt', { status: 400, body: { error: { message: 'no', code: 'content_filter' } } }, 'refused', false],
  ['400', { status: 400 }, 'invalid_request', false],
  ['401', { status: 401 }, 'invalid_request', false],
  ['403', { status: 403 }, 'invalid_request', false],
  ['404', { status: 404 }, 'invalid_request', false],
  ['413', { status: 413 }, 'invalid_request', false],
  ['422', { status: 422 }, 'invalid_request', false],
  ['a redirect', { status: 307, headers: { location: '/v2' } }, 'invalid_request', false],
]

test.each(faults)('classes %s', async (_, fault, name, isRetryable) => {
  const { ask } = await connect({ fault: () => fault })
  const failure = await failureOf(ask())
  expect([failure.class, failure.isRetryable]).toEqual([name, isRetryable])
})

test('a server that sends nothing is a timeout', async () => {
  const { ask } = await connect({ fault: () => 'stall' }, { timeout: 0.05 })
  const failure = await failureOf(ask())
  expect([failure.class, failure.isRetryable]).toEqual(['timeout', true])
  expect(failure.message).toContain('no answer within 0.05 s')
})

test('a failure to connect is retried', async () => {
  const { ask, server } = await connect()
  await server.close()
  const failure = await failureOf(ask())
  expect([failure.class, failure.isRetryable]).toEqual(['server', true])
  expect(failure.message).toContain(server.url)
})

test('names an unknown host', async () => {
  const { ask } = await connect({}, { base_url: 'http://no-such-host.invalid/v1' })
  const failure = await failureOf(ask())
  expect(failure.class).toBe('server')
  expect(failure.message).toContain('no-such-host.invalid')
})

test.each([
  [{ 'retry-after': '7' }, 7_000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '120', 'retry-after': '7' }, 120],
  [{ 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' }, 30_000],
  [{ 'retry-after': 'soon' }, undefined],
])('%j means a wait of %s ms', async (headers, waitMs) => {
  const { ask } = await connect({ fault: () => ({ status: 429, headers: headers }) })
  expect((await failureOf(ask())).retryAfter).toBe(waitMs)
})

test('no error contains a key, even if the server repeats it, but names its variable', async () => {
  for (const status of [400, 401, 500]) {
    const body = { error: { message: `Incorrect API key: ${key} ${'x'.repeat(1000)}` } }
    const { ask } = await connect({ fault: () => ({ status, body }) })
    const failure = await failureOf(ask())
    expect(failure.message).not.toContain(key)
    expect(failure.message).toContain('***')
    expect(failure.message.length).toBeLessThan(400)
    if (status === 401) expect(failure.message).toContain('OPENAI_API_KEY')
  }
})

test('suggests /v1 for an address without it', async () => {
  const server = await startFakeOpenai({ fault: () => ({ status: 404 }) })
  cleanUps.push(() => server.close())
  const origin = server.url.replace(/\/v1$/, '')
  const { ask } = await connect({}, { base_url: origin })
  expect((await failureOf(ask())).message).toContain(`(does base_url=${origin} lack /v1?)`)
})

test('sends the query of an address with each call, and includes it in the identity', async () => {
  const server = await startFakeOpenai()
  cleanUps.push(() => server.close())
  const base_url = `${server.url}/chat/completions?tier=a&region=b`
  const { ask } = await connect({}, { base_url })
  await ask().catch(() => undefined)
  expect(server.seen.at(-1)?.path).toBe('/v1/chat/completions?tier=a&region=b')
  expect(await identify({ model: 'm', base_url })).toEqual({
    backend: 'openai',
    args: { model: 'm', base_url: `${server.url}?tier=a&region=b` },
  })
})

test('an empty answer is an answer', async () => {
  const { ask } = await connect({ answer: () => completion('') })
  expect((await ask()).body).toEqual({ text: '', finishReason: 'stop' })
})

test('separates reasoning from the answer and counts it separately', async () => {
  const { ask } = await connect({
    answer: () => ({
      ...completion('4', 'stop', { reasoning_content: '2 + 2' }),
      usage: {
        prompt_tokens: 7,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 5, audio_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 8 },
      },
    }),
  })
  expect(await ask()).toEqual({
    body: { text: '4', finishReason: 'stop', reasoning: '2 + 2' },
    usage: { inputTokens: 7, outputTokens: 9, reasoningTokens: 8, cachedTokens: 5, audioTokens: 2 },
  })
})

test('accepts an answer with invalid token counts', async () => {
  const usage = { prompt_tokens: '7', completion_tokens: -1, total_tokens: 8 }
  const { ask } = await connect({ answer: () => ({ ...completion('yes'), usage }) })
  expect(await ask()).toEqual({ body: { text: 'yes', finishReason: 'stop' }, usage: { outputTokens: NaN } })
})

test('reads reasoning under either name if the other one is empty', async () => {
  const message = { reasoning_content: '', reasoning: '2 + 2' }
  const { ask } = await connect({ answer: () => completion('4', 'stop', message) })
  expect((await ask()).body.reasoning).toBe('2 + 2')
})

test('an aborted attempt ends at once', async () => {
  const { model, server } = await connect({ fault: () => 'stall' })
  const abort = new AbortController()
  const attempt = model.answer(request('Hi'), abort.signal)
  await expect.poll(() => server.stats().inFlight).toBe(1)
  abort.abort()
  await expect(attempt).rejects.toThrow()
})

const context = (env: Record<string, string> = {}): BackendContext => ({
  env,
  readMedia: () => Promise.reject(new Error('not needed')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: () => Promise.reject(new Error('not needed')),
})
const identify = (args: Record<string, unknown>, env: Record<string, string> = {}) =>
  openai.identify(parseModelArgs(openai, args) as Parameters<typeof openai.identify>[0], context(env))

test('the identity is the model name and the normalized address, unless model_version sets it', async () => {
  const env = { OPENAI_API_KEY: key }
  expect(await identify({ model: 'm' }, env)).toEqual({ backend: 'openai', args: { model: 'm' } })
  const local = { backend: 'openai', args: { model: 'm', base_url: 'http://host:8000/v1' } }
  expect(await identify({ model: 'm', base_url: 'http://HOST:8000/v1/' })).toEqual(local)
  expect(await identify({ model: 'm', base_url: 'http://host:8000/v1/chat/completions', api_key: key })).toEqual(local)
  expect(
    await identify({ model: 'm', timeout: 3, num_concurrent: 9 }, { OPENAI_BASE_URL: 'http://host:8000/v1' }),
  ).toEqual(local)
  expect(await identify({ model: 'm', base_url: 'http://host:8000/v1', model_version: '2024-11' })).toEqual({
    backend: 'openai',
    args: { model: 'm', model_version: '2024-11' },
  })
})

test.each([
  [{ model: 'm' }, {}, /needs an API key. Set OPENAI_API_KEY/],
  [{ model: 'm', base_url: 'localhost:8000' }, {}, /base_url is not an address/],
  [{ model: 'm', base_url: ' ' }, { OPENAI_API_KEY: key }, /base_url is given, but empty/],
  [{ model: 'm', base_url: 'http://user:pass@host/v1' }, {}, /only scheme, host, path and query/],
  [
    { model: 'm', base_url: 'http://host/v1?api-key=secret' },
    {},
    /query of base_url holds "api-key", and addresses are stored/,
  ],
  [{ model: 'm', base_url: 'http://host/v1?sig=secret' }, {}, /a key is given as api_key/],
  [{ model: 'm', base_url: 'http://host/v1', api_key: 'a\nb' }, {}, /characters that no header can carry/],
])('rejects invalid arguments before work starts: %j', async (args, env, message) => {
  await expect(identify(args, env)).rejects.toThrow(message)
})

test('a finish reason that the server calls unknown is a reason, and a missing one is none', async () => {
  const readReason = async (reason: string | null) => {
    const choice = { finish_reason: reason, message: { role: 'assistant', content: 'half' } }
    const { ask } = await connect({ fault: () => ({ status: 200, body: { choices: [choice] } }) })
    return (await ask()).body.rawFinishReason
  }
  expect([await readReason('unknown'), await readReason('because'), await readReason(null)]).toEqual([
    'unknown',
    'because',
    undefined,
  ])
})
