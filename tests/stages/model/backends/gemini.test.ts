import { describe, expect, onTestFinished, test } from 'vitest'
import { gemini } from '../../../../stages/model/backends/gemini.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../support/backend-client.js'
import { geminiAnswer, googleError, startFakeGemini } from '../../../support/fake-gemini.js'
import type { Reply } from '../../../support/fake-provider.js'

const key = 'AIza-very-secret-0123456789'

async function connect(reply?: () => Reply, args: Record<string, unknown> = {}) {
  const server = await startFakeGemini(reply)
  onTestFinished(() => server.close())
  const client = await askBackend(
    gemini,
    { model: 'gemini-fake', base_url: server.url, ...args },
    { GEMINI_API_KEY: key },
  )
  return { ...client, server, sent: () => server.seen.at(-1)!.body }
}

const answering = (...answer: Parameters<typeof geminiAnswer>) => connect(() => ({ body: geminiAnswer(...answer) }))

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
      seed: 7,
      until: ['\n\n'],
      presence_penalty: 0.1,
      do_sample: true,
    },
  )
  expect(answer).toEqual({ body: { text: 'yes', finishReason: 'stop' }, usage: { inputTokens: 7, outputTokens: 3 } })
  expect(sent()).toEqual({
    system_instruction: { parts: [{ text: 'Be brief.' }] },
    generationConfig: {
      maxOutputTokens: 16,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      seed: 7,
      stopSequences: ['\n\n'],
      presencePenalty: 0.1,
    },
    contents: [
      { role: 'user', parts: [{ text: '1 + 1?' }] },
      { role: 'model', parts: [{ text: '2' }] },
      { role: 'user', parts: [{ text: 'Really?' }] },
    ],
  })
  const [{ path, headers }] = [server.seen[0]!]
  expect(path).toBe('/v1beta/models/gemini-fake:generateContent')
  expect(headers['x-goog-api-key']).toBe(key)
})

test('maps arguments to fields of the request', async () => {
  const { ask, server, sent } = await connect(undefined, {
    model: 'tunedModels/mine',
    api_version: 'v1alpha',
    thinking_budget: '-1',
    include_thoughts: true,
    safety_threshold: 'BLOCK_NONE',
    media_resolution: 'low',
    omit: 'temperature',
    extra_body: '{"labels":{"a":"b"}}',
  })
  await ask()
  expect(sent()).toEqual({
    generationConfig: {
      thinkingConfig: { thinkingBudget: -1, includeThoughts: true },
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
    },
    safetySettings: ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'].map(harm => ({
      category: `HARM_CATEGORY_${harm}`,
      threshold: 'BLOCK_NONE',
    })),
    labels: { a: 'b' },
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
  })
  expect(server.seen[0]!.path).toBe('/v1alpha/tunedModels/mine:generateContent')
})

test('sends temperature 0 by default, and thinking_level by its name', async () => {
  const { ask, sent } = await connect(undefined, { thinking_level: 'low' })
  await ask()
  expect(sent()).toMatchObject({ generationConfig: { temperature: 0, thinkingConfig: { thinkingLevel: 'low' } } })
})

const media: readonly (readonly ['image' | 'audio' | 'video', string, string])[] = [
  ['image', '\x89PNG\r\n\x1a\n', 'image/png'],
  ['image', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['audio', 'RIFF\0\0\0\0WAVEfmt ', 'audio/wav'],
  ['audio', 'ID3\x04', 'audio/mp3'],
  ['video', '\0\0\0\x18ftypisom', 'video/mp4'],
  ['video', '\0\0\0\x14ftypqt  ', 'video/mov'],
]

test.each(media)('sends %s that starts with %j as %s', async (type, start, mime) => {
  const { ask, addMedium, sent } = await connect()
  const bytes = Buffer.concat([Buffer.from(start, 'latin1'), Buffer.alloc(300_000, 'x')])
  await ask([
    { type, media: await addMedium(bytes) },
    { type: 'text', text: '' },
    { type: 'text', text: 'What is it?' },
  ])
  expect(sent()).toMatchObject({
    contents: [
      {
        role: 'user',
        parts: [{ inline_data: { mime_type: mime, data: bytes.toString('base64') } }, { text: 'What is it?' }],
      },
    ],
  })
})

test('separates thoughts from the answer, and counts thoughts and sound separately', async () => {
  const { ask } = await answering(
    [{ text: '2 + 2', thought: true }, { text: '4' }, { text: '.' }],
    {},
    {
      usageMetadata: {
        promptTokenCount: 7,
        candidatesTokenCount: 2,
        thoughtsTokenCount: 8,
        cachedContentTokenCount: 5,
        totalTokenCount: 17,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 4 },
          { modality: 'AUDIO', tokenCount: 3 },
        ],
      },
    },
  )
  expect(await ask()).toEqual({
    body: { text: '4.', finishReason: 'stop', reasoning: '2 + 2' },
    usage: { inputTokens: 7, outputTokens: 10, reasoningTokens: 8, cachedTokens: 5, audioTokens: 3 },
  })
})

test('a model that reached its limit while thinking gives an empty answer', async () => {
  const { ask } = await answering([], { content: { role: 'model' }, finishReason: 'MAX_TOKENS' })
  expect((await ask()).body).toEqual({ text: '', finishReason: 'length' })
})

test('applies more stop sequences than the API accepts', async () => {
  const { ask, sent } = await answering('one. two; three')
  const answer = await ask('Hi', { until: ['a!', 'b!', 'c!', 'd!', ';', '.'] })
  expect(answer.body).toEqual({ text: 'one', finishReason: 'stop' })
  expect(sent()).not.toHaveProperty('generationConfig.stopSequences')
})

const blocked = (reason: string): Reply => ({ body: geminiAnswer([], { content: undefined, finishReason: reason }) })
const invalidKey = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
}
const failures: readonly (readonly [string, Reply, string, boolean])[] = [
  [
    'a blocked prompt',
    { body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 7 } } },
    'refused',
    false,
  ],
  ['SAFETY', blocked('SAFETY'), 'refused', false],
  ['RECITATION', blocked('RECITATION'), 'refused', false],
  ['BLOCKLIST', blocked('BLOCKLIST'), 'refused', false],
  ['PROHIBITED_CONTENT', blocked('PROHIBITED_CONTENT'), 'refused', false],
  ['SPII', blocked('SPII'), 'refused', false],
  ['SAFETY with half an answer', { body: geminiAnswer('I', { finishReason: 'SAFETY' }) }, 'refused', false],
  ['OTHER without content', blocked('OTHER'), 'server', true],
  ['a malformed call of a tool', blocked('MALFORMED_FUNCTION_CALL'), 'server', true],
  ['no candidates', { body: { usageMetadata: { promptTokenCount: 7 } } }, 'server', true],
  ['an empty candidate', { body: { candidates: [{}] } }, 'server', true],
  ['400', { status: 400, body: googleError(400, 'INVALID_ARGUMENT') }, 'invalid_request', false],
  [
    'an invalid key',
    { status: 400, body: googleError(400, 'INVALID_ARGUMENT', [invalidKey]) },
    'invalid_request',
    false,
  ],
  ['401', { status: 401, body: googleError(401, 'UNAUTHENTICATED') }, 'invalid_request', false],
  ['403', { status: 403, body: googleError(403, 'PERMISSION_DENIED') }, 'invalid_request', false],
  ['404', { status: 404, body: googleError(404, 'NOT_FOUND') }, 'invalid_request', false],
  ['429', { status: 429, body: googleError(429, 'RESOURCE_EXHAUSTED') }, 'rate_limited', true],
  ['500', { status: 500, body: googleError(500, 'INTERNAL') }, 'server', true],
  ['503', { status: 503, body: googleError(503, 'UNAVAILABLE') }, 'server', true],
  ['504', { status: 504, body: googleError(504, 'DEADLINE_EXCEEDED') }, 'timeout', true],
  ['an error under status 200', { body: googleError(503, 'UNAVAILABLE') }, 'server', true],
  ['an error in a list under status 200', { body: [googleError(429, 'RESOURCE_EXHAUSTED')] }, 'rate_limited', true],
  ['something else than an object', { body: '[]' }, 'server', true],
  ['an answer in HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Gateway</html>' }, 'server', true],
  ['a truncated answer', 'truncated', 'server', true],
  ['a reset', 'reset', 'server', true],
]

test.each(failures)('classes %s', async (_, reply, name, isRetryable) => {
  const { failure } = await connect(() => reply)
  const { class: found, isRetryable: again } = await failure()
  expect([found, again]).toEqual([name, isRetryable])
})

test('an invalid key is an access failure, though its status is 400', async () => {
  const wrong = await connect(() => ({ status: 400, body: googleError(400, 'INVALID_ARGUMENT', [invalidKey]) }))
  const other = await connect(() => ({ status: 400, body: googleError(400, 'INVALID_ARGUMENT') }))
  expect([(await wrong.failure()).isAccess, (await other.failure()).isAccess]).toEqual([true, false])
})

const exceeded = (quotaId: string) => [
  { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId, quotaValue: '50' }] },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
]

test('a daily limit counts as used up, whatever wait is stated', async () => {
  for (const [quotaId, isUsedUp] of [
    ['GenerateRequestsPerDayPerProjectPerModel-FreeTier', true],
    ['GenerateRequestsPerMinutePerProjectPerModel-FreeTier', false],
  ] as const) {
    const body = googleError(429, 'RESOURCE_EXHAUSTED', exceeded(quotaId))
    const { failure } = await connect(() => ({ status: 429, body }))
    const { class: name, isRetryable, isAccess } = await failure()
    expect([name, isRetryable, isAccess]).toEqual(['rate_limited', !isUsedUp, isUsedUp])
  }
})

test('an unsupported location is an access failure, and not about the key', async () => {
  const body = { error: { code: 400, message: 'User location is not supported for the API use.', status: 'F' } }
  const { failure } = await connect(() => ({ status: 400, body }))
  const { isAccess, message } = await failure()
  expect([isAccess, message]).toEqual([true, '400 User location is not supported for the API use.'])
})

test('an answer blocked by Model Armor is refused', async () => {
  const { failure } = await answering('', { finishReason: 'MODEL_ARMOR' })
  expect(await failure()).toMatchObject({ class: 'refused', message: 'the answer was blocked (MODEL_ARMOR)' })
})

test('the argument modalities restricts what a model accepts', async () => {
  const { failure, addMedium } = await connect(undefined, { modalities: 'image' })
  expect(await failure([{ type: 'audio', media: await addMedium(Buffer.from('RIFF\x04\0\0\0WAVE')) }])).toMatchObject({
    class: 'invalid_request',
    message: 'gemini: audio is not supported',
  })
})

test('keeps an answer with an unknown finish reason, and the reason', async () => {
  const { ask } = await answering('yes', { finishReason: 'OTHER' })
  expect((await ask()).body).toEqual({ text: 'yes', finishReason: 'unknown', rawFinishReason: 'OTHER' })
})

test.each([
  ['34.07s', 34_070],
  ['2s', 2_000],
  ['soon', undefined],
])('a RetryInfo of %s means a wait of %s ms', async (retryDelay, waitMs) => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [] },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
  ]
  const { failure } = await connect(() => ({ status: 429, body: googleError(429, 'RESOURCE_EXHAUSTED', details) }))
  expect((await failure()).retryAfter).toBe(waitMs)
})

test('a server that sends nothing is a timeout', async () => {
  const { failure } = await connect(() => 'stall', { timeout: 0.05 })
  expect(await failure()).toMatchObject({ class: 'timeout', isRetryable: true })
})

describe('rejects what the API does not support, before the request', () => {
  test('beams, and media of unknown formats', async () => {
    const { failure, addMedium, server } = await connect()
    const gif = await addMedium(Buffer.from('GIF89a'))
    const messages = [await failure('Hi', { num_beams: 4 }), await failure([{ type: 'image', media: gif }])].map(
      ({ class: name, message }) => `${name}: ${message}`,
    )
    expect(messages).toEqual([
      'invalid_request: num_beams: a chat server has no beam search',
      `media: medium ${gif}: gemini does not take image/gif. media=converted converts it`,
    ])
    expect(server.seen).toEqual([])
  })
})

test('no error contains a key, even if the server repeats it, but names its variable', async () => {
  const { failure } = await connect(() => ({
    status: 403,
    body: { error: { code: 403, message: `bad ${key}`, status: 'PERMISSION_DENIED' } },
  }))
  const { message } = await failure()
  expect(message).toBe('403 bad *** (check GEMINI_API_KEY or api_key)')
})

const identify = (args: Record<string, unknown>, env: Record<string, string> = { GOOGLE_API_KEY: key }) =>
  gemini.identify(parseModelArgs(gemini, args) as Parameters<typeof gemini.identify>[0], contextOf(env))

test('the identity is the model name and the normalized address, unless model_version sets it', async () => {
  expect(await identify({ model: 'm' })).toEqual({ backend: 'gemini', args: { model: 'm' } })
  const local = { backend: 'gemini', args: { model: 'm', base_url: 'http://host:8000' } }
  for (const base_url of ['http://HOST:8000/', 'http://host:8000/v1beta', 'http://host:8000/v1beta/models'])
    expect(await identify({ model: 'm', base_url }, {})).toEqual(local)
  expect(await identify({ model: 'm', base_url: 'http://host:8000', model_version: '2025' })).toEqual({
    backend: 'gemini',
    args: { model: 'm', model_version: '2025' },
  })
})

test('reports a missing key before work starts', async () => {
  await expect(identify({ model: 'm' }, {})).rejects.toThrow(/needs an API key. Set GEMINI_API_KEY/)
})

test('stores pictures of an answer as media, but not those of thoughts', async () => {
  const data = Buffer.from('picture').toString('base64')
  const parts = [
    { thought: true, inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    { text: 'Here:' },
    { inlineData: { mimeType: 'image/png', data } },
  ]
  const { ask } = await connect(() => ({ body: { candidates: [{ content: { parts }, finishReason: 'STOP' }] } }))
  expect(await ask()).toMatchObject({ body: { text: 'Here:' }, media: [Buffer.from('picture')] })
})
