import { expect, onTestFinished, test } from 'vitest'
import { configKey } from '../../../../../cache/keys.js'
import { openai } from '../../../../../stages/model/backends/openai.js'
import { litellm, mistral, openrouter } from '../../../../../stages/model/backends/openai/presets.js'
import type { AnyBackend } from '../../../../../stages/model/define-backend.js'
import { parseModelArgs } from '../../../../../stages/model/model-args.js'
import { findBackend, modelNames } from '../../../../../stages/model/registry.js'
import { askBackend, contextOf } from '../../../../support/backend-client.js'
import { completion, startFakeOpenai, type FakeOptions } from '../../../../support/fake-openai.js'

const key = 'sk-very-secret-0123456789'

const identify = async (backend: AnyBackend, args: Record<string, unknown>, env: Record<string, string> = {}) =>
  backend.identify(parseModelArgs(backend, args), contextOf(env))

const presets = [
  ['groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'],
  ['together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'],
  ['fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'],
  ['deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'],
  ['xai', 'https://api.x.ai/v1', 'XAI_API_KEY'],
] as const

test.each(presets)('%s is openai at %s, with the key in %s', async (id, url, variable) => {
  const backend = await findBackend(id, [])
  const named = await identify(backend, { model: 'm' }, { [variable]: key })
  expect(named).toEqual({ backend: 'openai', args: { model: 'm', base_url: url } })
  expect(configKey(named, {}).key).toBe(configKey(await identify(openai, { model: 'm', base_url: url }), {}).key)
  expect(backend.code).toBe(openai.code)
  await expect(identify(backend, { model: 'm' }, { OPENAI_API_KEY: key })).rejects.toThrow(
    `${id}: ${new URL(url).origin} needs an API key. Set ${variable}`,
  )
})

test('OPENAI_BASE_URL does not change the address of a preset', async () => {
  const groq = await findBackend('groq', [])
  const env = { GROQ_API_KEY: key, OPENAI_BASE_URL: 'http://host/v1' }
  expect((await identify(groq, { model: 'm' }, env)).args['base_url']).toBe('https://api.groq.com/openai/v1')
})

test('prompts for a preset have the same form as for openai', () => {
  expect(modelNames('groq', []).slice(0, 3)).toEqual(['openai', 'async_openai', 'openai_compatible'])
  expect(modelNames('litellm_chat', [])).toEqual(modelNames('openai', []))
})

test('the identity contains the differences of a preset', async () => {
  expect(await identify(mistral, { model: 'm' }, { MISTRAL_API_KEY: key })).toEqual({
    backend: 'openai',
    args: { model: 'm', base_url: 'https://api.mistral.ai/v1', seed_field: 'random_seed', dialect: 'mistral' },
  })
  expect(await identify(openrouter, { model: 'm' }, { OPENROUTER_API_KEY: key })).toEqual({
    backend: 'openai',
    args: { model: 'm', base_url: 'https://openrouter.ai/api/v1', dialect: 'openrouter' },
  })
})

test('a user’s own proxy has no default address and may need no key', async () => {
  await expect(identify(litellm, { model: 'm' })).rejects.toThrow(
    'litellm: give base_url=http://127.0.0.1:4000/v1, or set LITELLM_PROXY_API_BASE',
  )
  expect(await identify(litellm, { model: 'm' }, { LITELLM_PROXY_API_BASE: 'http://127.0.0.1:4000' })).toEqual({
    backend: 'openai',
    args: { model: 'm', base_url: 'http://127.0.0.1:4000' },
  })
})

async function connect(backend: AnyBackend, options: FakeOptions, args: (url: string) => Record<string, unknown>) {
  const server = await startFakeOpenai(options)
  onTestFinished(() => server.close())
  const client = await askBackend(backend, { model: 'm-1', api_key: key, ...args(server.url.replace(/\/v1$/, '')) })
  return { ...client, server, sent: () => JSON.parse(server.seen.at(-1)!.text) as unknown }
}

test('mistral uses random_seed, and thinking in parts of the content', async () => {
  const content = [
    { type: 'thinking', thinking: [{ type: 'text', text: '2 + 2' }] },
    { type: 'text', text: '4' },
  ]
  const answer = { choices: [{ index: 0, finish_reason: 'model_length', message: { role: 'assistant', content } }] }
  const { ask, sent } = await connect(mistral, { answer: () => answer }, url => ({ base_url: `${url}/v1` }))
  expect((await ask('Hi', { seed: 7 })).body).toEqual({
    text: '4',
    finishReason: 'length',
    rawFinishReason: 'model_length',
    reasoning: '2 + 2',
  })
  expect(sent()).toMatchObject({ random_seed: 7 })
  expect(sent()).not.toHaveProperty('seed')
})

test('openrouter gets the effort in reasoning.effort, others in reasoning_effort', async () => {
  const nested = await connect(openrouter, {}, url => ({ base_url: `${url}/v1`, reasoning_effort: 'low' }))
  await nested.ask()
  expect(nested.sent()).toMatchObject({ reasoning: { effort: 'low' } })
  expect(nested.sent()).not.toHaveProperty('reasoning_effort')
  const flat = await connect(openai, {}, url => ({ base_url: `${url}/v1`, reasoning_effort: 'low' }))
  await flat.ask()
  expect(flat.sent()).toMatchObject({ reasoning_effort: 'low' })
})

test('mistral gets sound and documents in its own form', async () => {
  const { ask, addMedium, sent } = await connect(mistral, {}, url => ({ base_url: `${url}/v1` }))
  const sound = Buffer.from('RIFF\x04\0\0\0WAVE')
  const pdf = Buffer.from('%PDF-1.7\n')
  await ask([
    { type: 'audio', media: await addMedium(sound) },
    { type: 'file', media: await addMedium(pdf) },
  ])
  expect(sent()).toMatchObject({
    messages: [
      {
        role: 'user',
        content: [
          { type: 'input_audio', input_audio: sound.toString('base64') },
          {
            type: 'document_url',
            document_name: 'document.pdf',
            document_url: `data:application/pdf;base64,${pdf.toString('base64')}`,
          },
        ],
      },
    ],
  })
})

test.each([
  ['no resources', { answer: () => completion('ye', 'insufficient_system_resource') }, 'server', true],
  ['an empty account', { fault: () => ({ status: 402 }) }, 'rate_limited', false],
] satisfies [string, FakeOptions, string, boolean][])('classes a provider with %s', async (_, options, name, again) => {
  const { failure } = await connect(openai, options, url => ({ base_url: `${url}/v1` }))
  const { class: found, isRetryable } = await failure()
  expect([found, isRetryable]).toEqual([name, again])
})

test('reads DeepSeek’s count of cached tokens', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 1, prompt_cache_hit_tokens: 5, prompt_cache_miss_tokens: 2 }
  const { ask } = await connect(openai, { answer: () => ({ ...completion('4'), usage }) }, url => ({ base_url: url }))
  expect((await ask()).usage).toEqual({ inputTokens: 7, outputTokens: 1, cachedTokens: 5 })
})

test('counts thinking as output, even if a provider counts it beside the completion', async () => {
  const usage = {
    prompt_tokens: 32,
    completion_tokens: 9,
    total_tokens: 135,
    completion_tokens_details: { reasoning_tokens: 94 },
  }
  const xai = await findBackend('xai', [])
  const { ask } = await connect(xai, { answer: () => ({ ...completion('4'), usage }) }, url => ({ base_url: url }))
  expect((await ask()).usage).toEqual({ inputTokens: 32, outputTokens: 103, reasoningTokens: 94 })
})

test('rejects a modality that a preset does not accept before the request', async () => {
  const { failure, addMedium, server } = await connect(await findBackend('deepseek', []), {}, url => ({
    base_url: url,
  }))
  const media = await addMedium(Buffer.from('GIF89a'))
  expect(await failure([{ type: 'image', media }])).toMatchObject({
    class: 'invalid_request',
    message: 'deepseek: image is not supported',
  })
  expect(server.stats().requests).toBe(0)
})
