import { expect, onTestFinished, test } from 'vitest'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../support/backend-client.js'
import { openaiResponse } from '../../../support/fake-openai.js'
import { startFakeProvider, type Reply } from '../../../support/fake-provider.js'

const key = 'sk-very-secret-0123456789'
const usage = { inputTokens: 7, outputTokens: 3, reasoningTokens: 0, cachedTokens: 0 }

async function connect(
  reply: () => Reply = () => ({ body: openaiResponse('yes') }),
  args: Record<string, unknown> = {},
) {
  const server = await startFakeProvider(reply)
  onTestFinished(() => server.close())
  const client = await askBackend(
    openaiResponses,
    { model: 'm-1', base_url: `${server.url}/v1`, ...args },
    { OPENAI_API_KEY: key },
  )
  return { ...client, server, sent: () => server.seen.at(-1)!.body }
}

test('a request follows the protocol, with the key only in its header and store=false', async () => {
  const { ask, server, sent } = await connect()
  const answer = await ask(
    [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: '1 + 1?' }] },
      { role: 'assistant', content: [{ type: 'text', text: '2' }] },
      { role: 'user', content: [{ type: 'text', text: 'Really?' }] },
    ],
    { max_new_tokens: 16, temperature: 0.5, top_p: 0.9, until: ['\n\n'], do_sample: true },
  )
  expect(answer).toEqual({ body: { text: 'yes', finishReason: 'stop' }, usage })
  expect(sent()).toEqual({
    model: 'm-1',
    max_output_tokens: 16,
    temperature: 0.5,
    top_p: 0.9,
    store: false,
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '1 + 1?' },
      { role: 'assistant', content: '2' },
      { role: 'user', content: 'Really?' },
    ],
  })
  expect(server.seen[0]!.path).toBe('/v1/responses')
  expect(server.seen[0]!.headers['authorization']).toBe(`Bearer ${key}`)
})

test('maps arguments to fields of the request, and sends images as original bytes', async () => {
  const { ask, addMedium, sent } = await connect(undefined, {
    detail: 'high',
    reasoning_effort: 'low',
    reasoning_summary: 'auto',
    omit: 'temperature',
    extra_body: '{"text":{"verbosity":"low"}}',
  })
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(300_000, 'ü')])
  await ask([
    { type: 'image', media: await addMedium(png) },
    { type: 'text', text: 'What is it?' },
  ])
  expect(sent()).toEqual({
    model: 'm-1',
    store: false,
    reasoning: { effort: 'low', summary: 'auto' },
    text: { verbosity: 'low' },
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', detail: 'high', image_url: `data:image/png;base64,${png.toString('base64')}` },
          { type: 'input_text', text: 'What is it?' },
        ],
      },
    ],
  })
})

test('separates reasoning from the answer and counts it separately', async () => {
  const thoughts = [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: ['2 + 2', 'is 4'].map(text => ({ type: 'summary_text', text })),
      content: [],
    },
    { type: 'reasoning', id: 'rs_2', summary: [] },
  ]
  const counts = {
    input_tokens: 7,
    input_tokens_details: { cached_tokens: 5 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 8 },
  }
  const { ask } = await connect(() => ({ body: openaiResponse('4', { usage: counts }, thoughts) }))
  expect(await ask()).toEqual({
    body: { text: '4', finishReason: 'stop', reasoning: '2 + 2\n\nis 4' },
    usage: { inputTokens: 7, outputTokens: 9, reasoningTokens: 8, cachedTokens: 5 },
  })
})

test('applies stop sequences, which the API does not have', async () => {
  const { ask } = await connect(() => ({ body: openaiResponse('one\n\ntwo') }))
  expect((await ask('Hi', { until: ['\n\n'] })).body).toEqual({ text: 'one', finishReason: 'stop' })
})

const incomplete = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } })

test('an answer that reached its limit says so, and is empty if it was still thinking', async () => {
  const limit = incomplete('max_output_tokens')
  const half = await connect(() => ({ body: openaiResponse('Par', limit) }))
  expect((await half.ask()).body).toEqual({
    text: 'Par',
    finishReason: 'length',
    rawFinishReason: 'max_output_tokens',
  })
  const none = await connect(() => ({ body: openaiResponse('', { ...limit, output: [] }) }))
  expect((await none.ask()).body).toMatchObject({ text: '', finishReason: 'length' })
})

const failed = (code: string): Reply => ({
  body: openaiResponse('', { status: 'failed', output: [], error: { code, message: 'told so' } }),
})
const refusal = [{ type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I can’t.' }] }]
const failures: readonly (readonly [string, Reply, string, boolean])[] = [
  ['a refusal', { body: openaiResponse('', { output: refusal }) }, 'refused', false],
  ['a content filter', { body: openaiResponse('', incomplete('content_filter')) }, 'refused', false],
  ['a failed response', failed('server_error'), 'server', true],
  ['a rate limit in a response', failed('rate_limit_exceeded'), 'rate_limited', true],
  ['an image that is not allowed', failed('image_content_policy_violation'), 'refused', false],
  ['a prompt that is not one', failed('invalid_prompt'), 'invalid_request', false],
  ['a response that is not there yet', { body: openaiResponse('', { status: 'in_progress' }) }, 'server', true],
  ['something else than a response', { body: { choices: [] } }, 'server', true],
  ['malformed JSON', { body: '{"output": [{"ty' }, 'server', true],
  ['400', { status: 400, body: { error: { message: 'no', code: null } } }, 'invalid_request', false],
  ['401', { status: 401, body: { error: { message: 'no' } } }, 'invalid_request', false],
  ['429', { status: 429, body: { error: { message: 'no' } } }, 'rate_limited', true],
  [
    'a used-up account',
    { status: 429, body: { error: { message: 'pay', code: 'insufficient_quota' } } },
    'rate_limited',
    false,
  ],
  ['503', { status: 503, body: 'busy' }, 'server', true],
  ['a reset', 'reset', 'server', true],
]

test.each(failures)('classes %s', async (_, reply, name, isRetryable) => {
  const { failure } = await connect(() => reply)
  const { class: found, isRetryable: again } = await failure()
  expect([found, again]).toEqual([name, isRetryable])
})

test('rejects seed, beams and audio before any request', async () => {
  const { failure, addMedium, server } = await connect()
  const wav = await addMedium(Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'))
  const attempts = [
    await failure('Hi', { seed: 7 }),
    await failure('Hi', { num_beams: 2 }),
    await failure([{ type: 'audio', media: wav }]),
  ]
  expect(attempts.map(attempt => attempt.class)).toEqual(['invalid_request', 'invalid_request', 'invalid_request'])
  expect(server.seen).toEqual([])
})

test('omits a seed if requested', async () => {
  const { ask, sent } = await connect(undefined, { omit: ['seed'] })
  await ask('Hi', { seed: 7 })
  expect(sent()).not.toHaveProperty('seed')
})

test('the identity differs from chat completions, and contains the address', async () => {
  const identify = (args: Record<string, unknown>) =>
    openaiResponses.identify(
      parseModelArgs(openaiResponses, args) as Parameters<typeof openaiResponses.identify>[0],
      contextOf({ OPENAI_API_KEY: key }),
    )
  expect(await identify({ model: 'm' })).toEqual({ backend: 'openai_responses', args: { model: 'm' } })
  expect(await identify({ model: 'm', base_url: 'http://HOST/v1/responses' })).toEqual({
    backend: 'openai_responses',
    args: { model: 'm', base_url: 'http://host/v1' },
  })
})

test("stores a picture of the API's tool as a medium, not as a tool call", async () => {
  const output = [{ type: 'image_generation_call', id: 'ig', status: 'completed', result: 'aGk=' }]
  const { ask } = await connect(() => ({ body: { status: 'completed', output } }))
  expect(await ask()).toMatchObject({ body: { text: '', finishReason: 'stop' }, media: [Buffer.from('hi')] })
})
