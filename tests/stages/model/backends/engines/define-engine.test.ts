import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import { configKey } from '../../../../../cache/keys.js'
import type { AnyBackend } from '../../../../../stages/model/define-backend.js'
import { describeArgs, parseModelArgs } from '../../../../../stages/model/model-args.js'
import { freePort } from '../../../../../stages/model/backends/engines/launch-engine.js'
import { llamaCpp } from '../../../../../stages/model/backends/llama-cpp.js'
import { lmdeploy } from '../../../../../stages/model/backends/lmdeploy.js'
import { ollama } from '../../../../../stages/model/backends/ollama.js'
import { openai } from '../../../../../stages/model/backends/openai.js'
import { sglang } from '../../../../../stages/model/backends/sglang.js'
import { vllm } from '../../../../../stages/model/backends/vllm.js'
import { askBackend, contextOf } from '../../../../support/backend-client.js'
import { startFakeProvider } from '../../../../support/fake-provider.js'
import { temporaryFolder } from '../../../../support/store.js'

type Args = Readonly<Record<string, unknown>>

const identify = (backend: AnyBackend, args: Args, env: Record<string, string> = {}) =>
  backend.identify(parseModelArgs(backend, args), {
    ...contextOf(env),
    fileDigest: async path => sha256(await readFile(path)),
  })

const keyOf = async (backend: AnyBackend, args: Args): Promise<string> =>
  configKey(await identify(backend, args), {}).key

const engines: readonly AnyBackend[] = [vllm, sglang, llamaCpp, lmdeploy]

describe('the identity of a started engine', () => {
  test('contains the model on the Hub, its revision and the flags that can change an answer', async () => {
    const args = {
      ...{
        model: 'org/model',
        revision: 'abc123',
        dtype: 'bfloat16',
        max_model_len: '4096',
        trust_remote_code: 'True',
      },
      ...{
        tensor_parallel_size: '2',
        gpu_memory_utilization: '0.8',
        batch_size: '64',
        port: '4711',
        enforce_eager: 'true',
      },
      ...{ limit_mm_per_prompt: '{"image":4}', mm_processor_kwargs: '{"max_pixels":1003520}', log_file: 'x.log' },
      ...{ engine_args: '--swap-space 8', executable: '/opt/vllm', startup_timeout: '60', shutdown_timeout: '1' },
    }
    expect(await identify(vllm, args)).toEqual({
      backend: 'vllm',
      args: {
        model: 'org/model',
        flags: [
          ...['--revision', 'abc123', '--dtype', 'bfloat16', '--max-model-len', '4096', '--trust-remote-code'],
          ...['--mm-processor-kwargs', '{"max_pixels":1003520}', '--swap-space', '8'],
        ],
      },
    })
  })

  test("contains the digests of a folder's files, wherever it is, without README and .git", async () => {
    const folder = await temporaryFolder()
    const model = join(folder, 'model')
    await mkdir(join(model, '.git'), { recursive: true })
    await writeFile(join(model, 'config.json'), '{}')
    await writeFile(join(model, 'model.safetensors'), 'weights')
    await writeFile(join(model, 'README.md'), 'hello')
    await writeFile(join(model, '.git/HEAD'), 'ref')
    const identity = await identify(sglang, { model })
    expect(identity).toEqual({
      backend: 'sglang',
      args: {},
      files: { 'config.json': sha256('{}'), 'model.safetensors': sha256('weights') },
    })
    await rename(model, join(folder, 'elsewhere'))
    expect(await identify(sglang, { model: join(folder, 'elsewhere') })).toEqual(identity)
  })

  test('contains the digests of one file or all its parts, and of a template file', async () => {
    const folder = await temporaryFolder()
    for (const name of ['m.gguf', 'p-00001-of-00002.gguf', 'p-00002-of-00002.gguf', 'eye.gguf', 'chat.jinja'])
      await writeFile(join(folder, name), name)
    const [mmproj, chat_template_file] = [join(folder, 'eye.gguf'), join(folder, 'chat.jinja')]
    expect(await identify(llamaCpp, { model: join(folder, 'm.gguf'), mmproj, chat_template_file })).toEqual({
      backend: 'llama_cpp',
      args: { flags: ['--mmproj', 'file mmproj', '--chat-template-file', 'file chat_template_file'] },
      files: { model: sha256('m.gguf'), mmproj: sha256('eye.gguf'), chat_template_file: sha256('chat.jinja') },
    })
    expect((await identify(llamaCpp, { model: join(folder, 'p-00001-of-00002.gguf') })).files).toEqual({
      'model-00001': sha256('p-00001-of-00002.gguf'),
      'model-00002': sha256('p-00002-of-00002.gguf'),
    })
  })

  test('does not depend on the number of concurrent requests', async () => {
    const args = { model: 'org/model', ctx_size: 2048 }
    expect(await keyOf(llamaCpp, { ...args, parallel: 8 })).toBe(await keyOf(llamaCpp, args))
    expect(await keyOf(llamaCpp, { ...args, ctx_size: 1024 })).not.toBe(await keyOf(llamaCpp, args))
  })

  test('is model_version if that is given, whether attached or started', async () => {
    const named = { model: 'org/model', model_version: 'v1' }
    const attached = { ...named, base_url: 'http://127.0.0.1:8000/v1' }
    expect(await identify(vllm, named)).toEqual(await identify(vllm, attached))
  })

  test.each([
    [{ model: './nowhere' }, 'there is no such file or folder'],
    [{ model: 'nowhere.gguf' }, 'there is no such file or folder'],
    [{ model: 'm', engine_args: '--port 1' }, 'engine_args must not set --port: give port='],
    [{ model: 'm', engine_args: '--api-key=sk-1' }, 'engine_args must not set --api-key: a command line is seen'],
  ])('is not computed for %j, which is rejected before the engine starts', async (args, problem) => {
    await expect(identify(vllm, args)).rejects.toThrow(problem)
  })
})

describe.each(engines.map(backend => [backend.id, backend] as const))('%s', (_, backend) => {
  const others: Args = { string: 'other', integer: 3, number: 0.5, boolean: true, object: { a: 1 } }
  const base = describeArgs(openai).map(({ name }) => name)
  const flags = describeArgs(backend).filter(({ name, type }) => !base.includes(name) && others[type] !== undefined)

  test('has each engine argument in its keys if and only if the argument affects output', async () => {
    const model = { model: 'org/model' }
    const usual = await keyOf(backend, model)
    expect(flags.length).toBeGreaterThan(10)
    for (const { name, type, effect } of flags) {
      if (name === 'max_frame_num') continue
      const changed = await keyOf(backend, { ...model, [name]: others[type] })
      expect(changed !== usual, name).toBe(effect === 'output')
    }
  })

  test('attached has the identity of openai at that address, and rejects arguments of a start', async () => {
    const base_url = 'http://127.0.0.1:8000/v1'
    const asOpenai = await identify(openai, { model: 'm', base_url })
    expect(await identify(backend, { model: 'm', base_url })).toEqual(asOpenai)
    expect(await identify(backend, { model: 'm', base_url: 'http://127.0.0.1:8000' })).toEqual(asOpenai)
    await expect(identify(backend, { model: 'm', base_url, port: 2, log_file: 'x' })).rejects.toThrow(
      'port, log_file can be chosen only where the engine is started here',
    )
  })

  test('attached is called by the protocol, with its key in a header', async () => {
    const server = await startFakeProvider(({ method }) => ({
      body:
        method === 'GET'
          ? {}
          : {
              choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
              usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
            },
    }))
    onTestFinished(() => server.close())
    const { ask } = await askBackend(backend, { model: 'm', base_url: server.url, api_key: 'sk-local' })
    const answer = await ask('1 + 1?', { max_new_tokens: 4, top_k: 5, until: ['\n'] })
    expect(answer).toEqual({ body: { text: 'yes', finishReason: 'stop' }, usage: { inputTokens: 7, outputTokens: 3 } })
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /health',
      'POST /v1/chat/completions',
    ])
    expect(server.seen[1]).toMatchObject({
      headers: { authorization: 'Bearer sk-local' },
      body: {
        model: 'm',
        max_tokens: 4,
        temperature: 0,
        top_k: 5,
        stop: ['\n'],
        messages: [{ role: 'user', content: '1 + 1?' }],
      },
    })
  })
})

test('reports an unreachable engine after startup_timeout', async () => {
  const base_url = `http://127.0.0.1:${await freePort()}/v1`
  const problem = askBackend(vllm, { model: 'm', base_url, startup_timeout: 0.1 })
  await expect(problem).rejects.toThrow(`vllm: not ready at ${base_url} within 0.1 s: connect ECONNREFUSED`)
})

test.each<readonly [AnyBackend, string, string]>([
  [vllm, 'base_url', 'leave base_url out to have one started'],
  [vllm, 'VLLM_BASE_URL', 'unset VLLM_BASE_URL to have one started'],
  [ollama, 'base_url', 'give launch=true in place of base_url to have one started'],
  [ollama, 'OLLAMA_BASE_URL', 'give launch=true to have one started'],
])('the advice depends on where the address was set: $0.id by $1', async (engine, name, advice) => {
  const address = `http://127.0.0.1:${await freePort()}`
  const [given, env] = name === 'base_url' ? [{ base_url: address }, {}] : [{}, { [name]: address }]
  const opened = askBackend(engine, { model: 'm', startup_timeout: 0.1, ...given }, env)
  await expect(opened).rejects.toThrow(`, or ${advice}.`)
})

test('a picture for a model without vision is an invalid request, even if the server sends status 500', async () => {
  const message = 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'
  const server = await startFakeProvider(({ method }) =>
    method === 'GET' ? { body: {} } : { status: 500, body: { error: { code: 500, message, type: 'server_error' } } },
  )
  onTestFinished(() => server.close())
  const { failure } = await askBackend(llamaCpp, { model: 'm', base_url: server.url })
  const failed = await failure()
  expect(failed).toMatchObject({ class: 'invalid_request', isRetryable: false })
  expect(failed.message).toContain('500 image input is not supported')
})
