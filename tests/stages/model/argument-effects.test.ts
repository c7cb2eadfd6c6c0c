import { without } from '../../../base/values/without.js'
import { makeLastingFile } from '../../../cache/media/lasting-file.js'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../cache/digest.js'
import { configKey } from '../../../cache/keys.js'
import { describeArgs, parseModelArgs } from '../../../stages/model/model-args.js'
import type { AnyBackend, BackendContext } from '../../../stages/model/define-backend.js'
import { dummy } from '../../../stages/model/backends/dummy.js'
import { gemini } from '../../../stages/model/backends/gemini.js'
import { onnxVlm } from '../../../stages/model/backends/onnx-vlm.js'
import { anthropic } from '../../../stages/model/backends/anthropic.js'
import { azureOpenai } from '../../../stages/model/backends/azure-openai.js'
import { openaiResponses } from '../../../stages/model/backends/openai-responses.js'
import { openai } from '../../../stages/model/backends/openai.js'
import { openaiCompletions } from '../../../stages/model/backends/openai-completions.js'
import { openaiTranscriptions } from '../../../stages/model/backends/openai-transcriptions.js'
import { groq, mistral } from '../../../stages/model/backends/openai/presets.js'
import { transformersJs } from '../../../stages/model/backends/transformers-js.js'
import { makeTransformersJsStub } from '../../support/transformers-js-stub.js'

const context: BackendContext = {
  env: {},
  readMedia: () => Promise.reject(new Error('no medium is needed to know who answers')),
  openMediaFile: () => Promise.resolve(makeLastingFile('')),
  fileDigest: path => Promise.resolve(sha256(path.split('/').at(-1) ?? '')),
}

/** For every argument that all remote backends have, another value. */
const apiOthers = {
  model: 'm-2',
  base_url: 'http://127.0.0.1:8001/proxy',
  model_version: '2026-01',
  api_key: 'sk-other',
  omit: ['temperature'],
  extra_body: { top_k: 5 },
  timeout: 7,
  stall_timeout: 3,
  stream: true,
  num_concurrent: 3,
  concurrency: 3,
  adaptive_concurrency: true,
  adaptive_min_concurrency: 2,
  adaptive_max_concurrency: 5,
  max_retries: 1,
  retry_backoff_s: 3,
  proxy: 'http://proxy:3128',
}

/** For every argument of a backend that shows videos as frames, another value. */
const frameOthers = {
  modalities: 'text+image',
  message_format: 'qwen3_vl',
  nframes: 8,
  fps: 1,
  max_frames: 100,
  min_pixels: 1000,
  max_pixels: 100_000,
  frame_times: 'rate',
  decode_timeout: 7,
  decode_memory_mb: 1_000,
  decode_max_pixels: 1_000_000,
}

/** For every argument of a backend of chat completions, another value. */
const chatOthers = {
  ...apiOthers,
  detail: 'low',
  reasoning_effort: 'high',
  max_tokens_field: 'max_completion_tokens',
  seed_field: 'random_seed',
  dialect: 'openrouter',
  ...frameOthers,
  audio_in_video: 'after',
  media: 'converted',
  media_as: 'url',
  media_presigned: 'any',
  media_uuid: true,
}

/** Sound goes only with frames, to models that take it. */
const chatBase = { model: 'm-1', nframes: 4, modalities: 'text+image+audio' }

const tinyvlm = join(import.meta.dirname, '../../../examples/tinyvlm')

// The library is an optional package, whose version is part of keys.
const library = makeTransformersJsStub()
beforeAll(() => library.install())
afterAll(() => library.remove())

/** For every argument of a backend: another value, and a starting value if it needs one. */
const cases: readonly {
  readonly backend: AnyBackend
  readonly base: Readonly<Record<string, unknown>>
  readonly others: Readonly<Record<string, unknown>>
}[] = [
  {
    backend: openai,
    base: { ...chatBase, base_url: 'http://127.0.0.1:8000/v1' },
    others: { ...chatOthers, prompt_format: 'template', prefix_text: '<|endoftext|>' },
  },
  {
    backend: openaiCompletions,
    base: { model: 'm-1', base_url: 'http://127.0.0.1:8000/v1' },
    others: { ...apiOthers, max_gen_toks: 12, prefix_text: '<|endoftext|>' },
  },
  {
    backend: openaiTranscriptions,
    base: { model: 'm-1', base_url: 'http://127.0.0.1:8000/v1' },
    others: { ...without(apiOthers, 'omit', 'extra_body', 'stream'), language: 'en', hint: 'Brno, Gdynia' },
  },
  { backend: groq, base: { ...chatBase, api_key: 'sk-1' }, others: chatOthers },
  {
    backend: mistral,
    base: { ...chatBase, api_key: 'sk-1' },
    others: { ...chatOthers, seed_field: 'seed' },
  },
  {
    backend: azureOpenai,
    base: { ...chatBase, base_url: 'https://one.openai.azure.com', api_key: 'sk-1', api_version: '2024-10-21' },
    others: {
      ...without(chatOthers, 'media_uuid'),
      base_url: 'https://two.openai.azure.com',
      deployment: 'mine',
      api_version: '2025-01-01-preview',
    },
  },
  {
    backend: openaiResponses,
    base: { model: 'm-1', api_key: 'sk-1' },
    others: {
      ...apiOthers,
      ...frameOthers,
      detail: 'low',
      reasoning_effort: 'high',
      reasoning_summary: 'auto',
      media: 'converted',
      media_as: 'url',
      media_presigned: 'any',
    },
  },
  {
    backend: anthropic,
    base: { model: 'm-1', api_key: 'sk-1' },
    others: {
      ...apiOthers,
      ...frameOthers,
      anthropic_version: '2026-01-01',
      anthropic_beta: ['new'],
      max_tokens: 99,
      thinking: 'adaptive',
      media: 'original',
      media_as: 'url',
      media_presigned: 'any',
    },
  },
  {
    backend: gemini,
    base: { model: 'm-1', api_key: 'sk-1' },
    others: {
      ...apiOthers,
      api_version: 'v1',
      thinking_budget: 0,
      thinking_level: 'low',
      include_thoughts: true,
      safety_threshold: 'OFF',
      media_resolution: 'low',
      max_inline_mb: 5,
      media: 'original',
      media_as: 'url',
      media_presigned: 'any',
      modalities: 'text+image',
    },
  },
  {
    backend: dummy,
    base: {},
    others: {
      mode: 'fixed',
      text: 'other',
      words: ['a', 'b'],
      latency_ms: 5,
      fail: ['server:0.1'],
      num_concurrent: 3,
      max_retries: 1,
    },
  },
  { backend: onnxVlm, base: { model: tinyvlm }, others: { dtype: 'int8', threads: 2, workers: 1 } },
  {
    backend: transformersJs,
    base: { model: library.model },
    others: { dtype: 'q8', device: 'cuda', threads: 2, language: 'en', pooling: 'cls', workers: 1 },
  },
]

/** Another model folder is another model by its files, not by its name. The backend's tests and the last test here check that. */
const toldByFiles = new Set(['onnx_vlm.model', 'transformers_js.model'])

async function keyWith(backend: AnyBackend, args: Readonly<Record<string, unknown>>): Promise<string> {
  return configKey(await backend.identify(parseModelArgs(backend, args), context), { max_new_tokens: 8 }).key
}

describe.each(cases)('$backend.id', ({ backend, base, others }) => {
  const described = describeArgs(backend).filter(({ name }) => !toldByFiles.has(`${backend.id}.${name}`))

  test('has a case for every argument', () => {
    expect(Object.keys(others).sort()).toEqual(described.map(({ name }) => name).sort())
  })

  test.each(described.filter(({ effect }) => effect === 'transport').map(({ name }) => name))(
    '%s changes no key',
    async name => {
      expect(await keyWith(backend, { ...base, [name]: others[name] })).toBe(await keyWith(backend, base))
    },
  )

  test.each(described.filter(({ effect }) => effect === 'output').map(({ name }) => name))(
    '%s changes every key',
    async name => {
      expect(await keyWith(backend, { ...base, [name]: others[name] })).not.toBe(await keyWith(backend, base))
    },
  )
})

test('every key contains the files of transformers_js and the version of its library', async () => {
  const backend: AnyBackend = transformersJs
  const identify = async (digest: string) =>
    backend.identify(parseModelArgs(backend, { model: library.model }), {
      ...context,
      fileDigest: () => Promise.resolve(sha256(digest)),
    })
  const identity = await identify('one')
  expect(identity).toMatchObject({
    args: { library: '4.0.0' },
    files: { 'config.json': sha256('one'), 'onnx/encoder_model.onnx': sha256('one') },
  })
  expect(JSON.stringify(identity)).not.toMatch(/quantized|transformers-js-stub/)
  expect(configKey(await identify('other'), {}).key).not.toBe(configKey(identity, {}).key)
})
