import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { ollama } from '../../../../stages/model/backends/ollama.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../support/backend-client.js'
import { startFakeProvider, type Reply } from '../../../support/fake-provider.js'
import { picture } from '../../../support/own-task.js'
import { temporaryFolder } from '../../../support/store.js'

/** The reply of Ollama 0.12 to `/api/chat` with `stream: false`. */
const answered = (message: object = {}, more: object = {}): Reply => ({
  body: {
    model: 'llama3.2',
    created_at: '2026-01-01T00:00:00Z',
    message: { role: 'assistant', content: 'yes', ...message },
    done: true,
    done_reason: 'stop',
    total_duration: 5_191_566_416,
    load_duration: 2_154_458,
    prompt_eval_count: 26,
    prompt_eval_duration: 383_809_000,
    eval_count: 298,
    eval_duration: 4_799_921_000,
    ...more,
  },
})

async function connect(reply: Reply = answered(), args: Record<string, unknown> = {}) {
  const server = await startFakeProvider(({ method }) => (method === 'GET' ? { body: { version: '0.12.6' } } : reply))
  onTestFinished(() => server.close())
  const client = await askBackend(ollama, { model: 'llama3.2', base_url: server.url, ...args })
  return { ...client, server, sent: () => server.seen.at(-1)! }
}

const identify = (args: Record<string, unknown>, env: Record<string, string> = {}) =>
  ollama.identify(parseModelArgs(ollama, args) as Parameters<typeof ollama.identify>[0], {
    ...contextOf(env),
    fileDigest: path => Promise.resolve(sha256(path.split('/manifests/').at(-1) ?? '')),
  })

test("a request uses Ollama's own API, with context, options and keep-alive", async () => {
  const { ask, sent } = await connect(answered(), {
    num_ctx: 8192,
    keep_alive: '10m',
    think: 'low',
    options: { repeat_penalty: 1.1 },
    extra_body: { format: 'json' },
  })
  const answer = await ask(
    [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: '1 + 1?' }] },
    ],
    { max_new_tokens: 16, temperature: 0.5, top_p: 0.9, top_k: 5, seed: 7, until: ['\n'], do_sample: true },
  )
  expect(answer).toEqual({
    body: { text: 'yes', finishReason: 'stop' },
    usage: { inputTokens: 26, outputTokens: 298 },
  })
  expect(sent().path).toBe('/api/chat')
  expect(sent().body).toEqual({
    model: 'llama3.2',
    stream: false,
    keep_alive: '10m',
    think: 'low',
    truncate: false,
    shift: false,
    format: 'json',
    options: {
      num_predict: 16,
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: ['\n'],
      top_k: 5,
      num_ctx: 8192,
      repeat_penalty: 1.1,
    },
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: '1 + 1?' },
    ],
  })
})

test('images precede the text after them, and an image inside a text splits the message', async () => {
  const { ask, sent, addMedium } = await connect()
  const [one, two] = [await picture(10), await picture(20)]
  const [first, second] = [await addMedium(one), await addMedium(two)]
  await ask([
    { type: 'image', media: first },
    { type: 'text', text: 'like' },
    { type: 'image', media: second },
    { type: 'text', text: 'this?' },
  ])
  expect(sent().body).toMatchObject({
    messages: [
      { role: 'user', content: 'like', images: [one.toString('base64')] },
      { role: 'user', content: 'this?', images: [two.toString('base64')] },
    ],
  })
})

test('separates thinking from the answer, and reads tool calls', async () => {
  const { ask } = await connect(
    answered({ content: '', thinking: 'hm', tool_calls: [{ function: { name: 'add', arguments: { a: 1 } } }] }),
  )
  expect((await ask()).body).toEqual({
    text: '',
    finishReason: 'tool_calls',
    reasoning: 'hm',
    toolCalls: [{ id: 'call_0', name: 'add', arguments: '{"a":1}' }],
  })
})

describe('failures', () => {
  test.each([
    [404, "model 'llama3.2' not found", 'invalid_request', 'ollama pull'],
    [400, 'the input length exceeds the context length', 'invalid_request', 'exceeds'],
    [503, 'server busy, please try again. maximum pending requests exceeded', 'server', 'busy'],
    [500, 'model runner has unexpectedly stopped', 'server', 'stopped'],
  ])("%i is reported in the server's words", async (status, error, failureClass, words) => {
    const { failure } = await connect({ status, body: { error } })
    const failed = await failure()
    expect(failed.class).toBe(failureClass)
    expect(failed.message).toContain(words)
  })

  test.each([
    ['an error under status 200', { body: { error: 'unexpected EOF' } }],
    ['an answer that is not done', answered({}, { done: false })],
    ['a model that was only loaded', answered({ content: '' }, { done_reason: 'load' })],
    ['something else', { body: { ok: true } }],
  ])('%s is not an answer', async (_, reply) => {
    const { failure } = await connect(reply)
    expect((await failure()).class).toBe('server')
  })
})

describe('the identity', () => {
  test.each([
    [{}, 'http://127.0.0.1:11434'],
    [{ OLLAMA_HOST: '0.0.0.0' }, 'http://127.0.0.1:11434'],
    [{ OLLAMA_HOST: 'box:9' }, 'http://box:9'],
    [{ OLLAMA_HOST: 'https://ollama.example/' }, 'https://ollama.example'],
    [{ OLLAMA_BASE_URL: 'http://box:7', OLLAMA_HOST: 'other' }, 'http://box:7'],
  ])('of %j is the server at %s', async (env, baseUrl) => {
    expect(await identify({ model: 'm', num_ctx: 4096 }, env)).toEqual({
      backend: 'ollama',
      args: { model: 'm', base_url: baseUrl, num_ctx: 4096 },
    })
  })

  test('at an address of the OpenAI-compatible API is the same as for openai', async () => {
    const base_url = 'http://127.0.0.1:11434/v1'
    expect(await identify({ model: 'm', base_url })).toEqual({ backend: 'openai', args: { model: 'm', base_url } })
    await expect(identify({ model: 'm', base_url, num_ctx: 1 })).rejects.toThrow('num_ctx: its OpenAI-compatible API')
  })

  test('of a started model is its manifest, in any folder', async () => {
    const models_dir = await temporaryFolder()
    const library = join(models_dir, 'manifests/registry.ollama.ai/library/llama3.2')
    await mkdir(library, { recursive: true })
    await writeFile(join(library, '1b'), '{}')
    expect(await identify({ model: 'llama3.2:1b', launch: true, models_dir, num_ctx: 9 })).toEqual({
      backend: 'ollama',
      args: { num_ctx: 9 },
      files: { manifest: sha256('registry.ollama.ai/library/llama3.2/1b') },
    })
    await expect(identify({ model: 'llama3.2', launch: true, models_dir })).rejects.toThrow('ollama pull llama3.2')
    await expect(identify({ model: 'hf.co/org/name:q4', launch: true, models_dir })).rejects.toThrow('not among')
    await expect(identify({ model: 'm', models_dir })).rejects.toThrow('models_dir: also give launch=true')
  })
})
