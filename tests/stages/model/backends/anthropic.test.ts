import { describe, expect, onTestFinished, test } from 'vitest'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../support/backend-client.js'
import { claudeError, claudeMessage, startFakeAnthropic } from '../../../support/fake-anthropic.js'
import type { Reply } from '../../../support/fake-provider.js'

const key = 'sk-ant-very-secret-0123456789'
const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(400_000, 'ü')])

async function connect(reply?: () => Reply, args: Record<string, unknown> = {}) {
  const server = await startFakeAnthropic(reply)
  onTestFinished(() => server.close())
  const client = await askBackend(
    anthropic,
    { model: 'claude-sonnet-4-5', base_url: server.url, ...args },
    { ANTHROPIC_API_KEY: key },
  )
  return { ...client, server, sent: () => server.seen.at(-1)!.body }
}

const answering = (...message: Parameters<typeof claudeMessage>) => connect(() => ({ body: claudeMessage(...message) }))

test('a request follows the protocol, with the key only in its header', async () => {
  const { ask, server, sent } = await connect()
  const answer = await ask(
    [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: '1 + 1?' }] },
      { role: 'assistant', content: [{ type: 'text', text: '2' }] },
      { role: 'user', content: [{ type: 'text', text: 'Really?' }] },
    ],
    {
      max_new_tokens: 16,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      until: ['Q:', '\n\n'],
      do_sample: true,
      num_beams: 1,
    },
  )
  expect(answer).toEqual({
    body: { text: 'yes', finishReason: 'stop' },
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 0 },
  })
  expect(sent()).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 16,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    // The API rejects a stop sequence of white space alone.
    stop_sequences: ['Q:'],
    system: 'Be brief.',
    messages: [
      { role: 'user', content: '1 + 1?' },
      { role: 'assistant', content: '2' },
      { role: 'user', content: 'Really?' },
    ],
  })
  const [{ path, headers }] = [server.seen[0]!]
  expect(path).toBe('/v1/messages')
  expect(headers).toMatchObject({ 'x-api-key': key, 'anthropic-version': '2023-06-01' })
  expect(headers).not.toHaveProperty('authorization')
  expect(headers).not.toHaveProperty('anthropic-beta')
})

test('sends temperature 0 and the argument max_tokens if the task sets neither', async () => {
  const { ask, sent } = await connect(undefined, { max_tokens: 77 })
  await ask()
  expect(sent()).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 77,
    temperature: 0,
    messages: [{ role: 'user', content: 'Hi' }],
  })
})

test('sends images as their original bytes, with the type detected from the bytes', async () => {
  const { ask, addMedium, sent } = await connect()
  const media = await addMedium(png)
  await ask([
    { type: 'image', media },
    { type: 'text', text: '' },
    { type: 'text', text: 'What is it?' },
  ])
  expect(sent()).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
          { type: 'text', text: 'What is it?' },
        ],
      },
    ],
  })
})

test('adds the thinking budget to the limit of the answer, and sends no temperature', async () => {
  const { ask, sent } = await connect(undefined, { thinking: '2048', anthropic_beta: 'a|b', omit: 'top_k' })
  await ask('Hi', { max_new_tokens: 16, top_k: 3 })
  expect(sent()).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 2064,
    thinking: { type: 'enabled', budget_tokens: 2048 },
    messages: [{ role: 'user', content: 'Hi' }],
  })
  const adaptive = await connect(undefined, {
    thinking: 'adaptive',
    anthropic_beta: 'a|b',
    extra_body: '{"output_config":{"effort":"low"}}',
  })
  await adaptive.ask('Hi', { max_new_tokens: 16, temperature: 1 })
  expect(adaptive.sent()).toMatchObject({
    max_tokens: 16,
    thinking: { type: 'adaptive' },
    output_config: { effort: 'low' },
  })
  expect(adaptive.sent()).not.toHaveProperty('temperature')
  expect(adaptive.server.seen[0]!.headers['anthropic-beta']).toBe('a,b')
})

test('separates thinking from the answer, and counts cached tokens as input', async () => {
  const { ask } = await answering(
    [
      { type: 'thinking', thinking: '2 + 2', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'EmwKAhgB' },
      { type: 'text', text: '4' },
      { type: 'text', text: '.' },
    ],
    {
      usage: {
        input_tokens: 7,
        cache_creation_input_tokens: 100,
        cache_read_input_tokens: 50,
        output_tokens: 9,
      },
    },
  )
  expect(await ask()).toEqual({
    body: { text: '4.', finishReason: 'stop', reasoning: '2 + 2' },
    usage: { inputTokens: 157, outputTokens: 9, cachedTokens: 50 },
  })
})

test.each([
  ['end_turn', { finishReason: 'stop' }],
  ['stop_sequence', { finishReason: 'stop', rawFinishReason: 'stop_sequence' }],
  ['max_tokens', { finishReason: 'length' }],
  ['model_context_window_exceeded', { finishReason: 'length', rawFinishReason: 'model_context_window_exceeded' }],
  ['tool_use', { finishReason: 'tool_calls' }],
  ['made_up', { finishReason: 'unknown', rawFinishReason: 'made_up' }],
])('maps %s to a finish reason', async (reason, expected) => {
  const { ask } = await answering('yes', { stop_reason: reason })
  expect((await ask()).body).toEqual({ text: 'yes', ...expected })
})

test('applies a stop sequence that the API does not accept', async () => {
  const { ask } = await answering('one\n\ntwo', { stop_reason: 'max_tokens' })
  expect((await ask('Hi', { until: ['\n\n'] })).body).toMatchObject({ text: 'one', finishReason: 'stop' })
})

test('an answer without content is an empty answer', async () => {
  const { ask } = await answering([])
  expect((await ask()).body).toEqual({ text: '', finishReason: 'stop' })
})

const overloaded = claudeError('overloaded_error', 'Overloaded')
const failures: readonly (readonly [string, Reply, string, boolean])[] = [
  ['a refusal', { body: claudeMessage('I can’t.', { stop_reason: 'refusal' }) }, 'refused', false],
  ['400', { status: 400, body: claudeError('invalid_request_error') }, 'invalid_request', false],
  ['401', { status: 401, body: claudeError('authentication_error') }, 'invalid_request', false],
  ['403', { status: 403, body: claudeError('permission_error') }, 'invalid_request', false],
  ['404', { status: 404, body: claudeError('not_found_error') }, 'invalid_request', false],
  ['413', { status: 413, body: claudeError('request_too_large') }, 'invalid_request', false],
  ['429', { status: 429, body: claudeError('rate_limit_error') }, 'rate_limited', true],
  ['500', { status: 500, body: claudeError('api_error') }, 'server', true],
  ['504', { status: 504, body: claudeError('timeout_error') }, 'timeout', true],
  ['529', { status: 529, body: overloaded }, 'server', true],
  ['529 with HTML', { status: 529, body: '<html>busy</html>' }, 'server', true],
  [
    'a used-up account',
    { status: 400, body: claudeError('invalid_request_error', 'Your credit balance is too low to access the API.') },
    'rate_limited',
    false,
  ],
  [
    'a limit that the account set itself',
    {
      status: 400,
      body: claudeError('invalid_request_error', 'You have reached your specified API usage limits. You will regain…'),
    },
    'rate_limited',
    false,
  ],
  [
    'a filter that is told as a wrong request',
    { status: 400, body: claudeError('invalid_request_error', 'Output blocked by content filtering policy') },
    'refused',
    false,
  ],
  ['402', { status: 402, body: claudeError('billing_error') }, 'rate_limited', false],
  ['an overload under status 200', { body: overloaded }, 'server', true],
  ['a rate limit under status 200', { body: claudeError('rate_limit_error') }, 'rate_limited', true],
  ['an error of an unknown type under status 200', { body: claudeError('new_error') }, 'server', true],
  ['something else than a message', { body: { hello: 'world' } }, 'server', true],
  ['a message that did not end', { body: claudeMessage('ye', { stop_reason: null }) }, 'server', true],
  ['an answer in HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Gateway</html>' }, 'server', true],
  ['malformed JSON', { body: '{"content": [{"ty' }, 'server', true],
  ['a truncated answer', 'truncated', 'server', true],
  ['a reset', 'reset', 'server', true],
  ['a redirect', { status: 307, headers: { location: '/v2' }, body: '' }, 'invalid_request', false],
]

test.each(failures)('classes %s', async (_, reply, name, isRetryable) => {
  const { failure } = await connect(() => reply)
  const { class: found, isRetryable: again } = await failure()
  expect([found, again]).toEqual([name, isRetryable])
})

test('a server that sends nothing is a timeout', async () => {
  const { failure } = await connect(() => 'stall', { timeout: 0.05 })
  expect(await failure()).toMatchObject({ class: 'timeout', isRetryable: true })
})

test('reports the wait that the server asks for', async () => {
  const { failure } = await connect(() => ({
    status: 429,
    headers: { 'retry-after': '7' },
    body: claudeError('rate_limit_error'),
  }))
  expect((await failure()).retryAfter).toBe(7_000)
})

test('omits unsupported fields if omit names them', async () => {
  const { ask, sent } = await connect(undefined, { thinking: 1024, omit: ['seed', 'temperature'] })
  await ask('Hi', { seed: 7, temperature: 0.5 })
  for (const field of ['seed', 'temperature']) expect(sent()).not.toHaveProperty(field)
})

test.each([
  ['`temperature` is deprecated for this model.', 'omit=temperature'],
  ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.', 'omit=top_p'],
])('the message for %s says what to do', async (message, argument) => {
  const { failure } = await connect(() => ({ status: 400, body: claudeError('invalid_request_error', message) }))
  expect((await failure()).message).toBe(`400 ${message} (add ${argument} to the model arguments)`)
})

describe('rejects what the API does not support, before the request', () => {
  test.each([
    [{ num_beams: 4 }, {}, /num_beams/],
    [{ seed: 7 }, {}, /seed/],
    [{ temperature: 0.5 }, { thinking: 1024 }, /temperature 0.5: with thinking/],
  ])('%j', async (generation, args, message) => {
    const { failure, server } = await connect(undefined, args)
    expect(await failure('Hi', generation)).toMatchObject({
      class: 'invalid_request',
      message: expect.stringMatching(message) as string,
    })
    expect(server.seen).toEqual([])
  })

  test('audio, an image of a format that it does not know, and a system message between turns', async () => {
    const { failure, addMedium, server } = await connect()
    const wav = await addMedium(Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'))
    const bmp = await addMedium(Buffer.from('BM      '))
    const messages = [
      await failure([{ type: 'audio', media: wav }]),
      await failure([{ type: 'image', media: bmp }]),
      await failure([
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      ]),
      await failure([{ role: 'system', content: [{ type: 'image', media: bmp }] }]),
    ].map(({ class: name, message }) => `${name}: ${message}`)
    expect(messages).toEqual([
      'invalid_request: anthropic: audio is not supported',
      `media: medium ${bmp}: anthropic does not take image/bmp. media=converted converts it`,
      'invalid_request: anthropic: a system message can only stand before all others',
      'invalid_request: anthropic: a system message can only be text',
    ])
    expect(server.seen).toEqual([])
  })
})

test('no error contains a key, even if the server repeats it, but names its variable', async () => {
  const { failure } = await connect(() => ({ status: 401, body: claudeError('authentication_error', `bad ${key}`) }))
  const { message } = await failure()
  expect(message).toBe('401 bad *** (check ANTHROPIC_API_KEY or api_key)')
})

test('reports an unknown model in the server’s words', async () => {
  const { failure } = await connect(() => ({ status: 404, body: claudeError('not_found_error', 'model: claude-9') }))
  expect((await failure()).message).toBe('404 model: claude-9')
})

const identify = (args: Record<string, unknown>, env: Record<string, string> = { ANTHROPIC_API_KEY: key }) =>
  anthropic.identify(parseModelArgs(anthropic, args) as Parameters<typeof anthropic.identify>[0], contextOf(env))

test('the identity is the model name and the normalized address, unless model_version sets it', async () => {
  expect(await identify({ model: 'm' })).toEqual({ backend: 'anthropic', args: { model: 'm' } })
  const local = { backend: 'anthropic', args: { model: 'm', base_url: 'http://host:8000/claude' } }
  for (const base_url of [
    'http://HOST:8000/claude/',
    'http://host:8000/claude/v1',
    'http://host:8000/claude/v1/messages',
  ])
    expect(await identify({ model: 'm', base_url }, {})).toEqual(local)
  expect(await identify({ model: 'm' }, { ANTHROPIC_BASE_URL: 'http://host:8000/claude' })).toEqual(local)
  expect(await identify({ model: 'm', base_url: 'http://host:8000', model_version: '2025' })).toEqual({
    backend: 'anthropic',
    args: { model: 'm', model_version: '2025' },
  })
})

test('reports a missing key before work starts', async () => {
  await expect(identify({ model: 'm' }, {})).rejects.toThrow(/needs an API key. Set ANTHROPIC_API_KEY/)
})
