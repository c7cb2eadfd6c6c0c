import { describe, expect, test } from 'vitest'
import { anthropic } from '../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../stages/model/backends/gemini.js'
import { openai } from '../../../stages/model/backends/openai.js'
import { openaiCompletions } from '../../../stages/model/backends/openai-completions.js'
import { vllm } from '../../../stages/model/backends/vllm.js'
import { fromLmms } from '../../../stages/model/lmms-arguments.js'
import { parseModelArgs, readScheduling } from '../../../stages/model/model-args.js'

test('a command line of its scheduler is taken as a whole, and one note names what does nothing', () => {
  const { args, note, order } = fromLmms(openai, {
    model_version: 'gpt-4o',
    base_url: 'http://127.0.0.1:8000/v1',
    num_cpus: '8',
    adaptive_concurrency: 'true',
    adaptive_min_concurrency: '2',
    adaptive_max_concurrency: '64',
    adaptive_target_latency_s: '15.0',
    adaptive_increase_step: '0.1',
    adaptive_decrease_factor: '0.7',
    adaptive_failure_threshold: '0.05',
    prefix_aware_queue: 'True',
    prefix_hash_chars: '256',
    retry_backoff_s: '1.0',
    max_retries: '3',
    timeout: '60',
  })
  const parsed = parseModelArgs(openai, args)
  expect(parsed).toMatchObject({ model: 'gpt-4o', num_concurrent: 8, timeout: 60 })
  expect(parsed['model_version']).toBeUndefined()
  expect(readScheduling(openai, parsed)).toEqual({
    concurrency: { min: 2, max: 64, start: 8 },
    maxAttempts: 4,
    backOffMs: 1_000,
  })
  expect(order).toBeUndefined()
  expect(note).toBe(
    'model openai: no effect here: adaptive_target_latency_s, adaptive_increase_step, adaptive_decrease_factor, adaptive_failure_threshold (how many requests are under way follows the answers a second and the rate limits, and no such figure), prefix_hash_chars (requests go together by the whole of what they begin with)',
  )
})

test('a line of lm-evaluation-harness for a server of base models is taken as a whole', () => {
  const { args, note } = fromLmms(openaiCompletions, {
    pretrained: 'base-1',
    base_url: 'http://127.0.0.1:8000/v1/completions',
    num_concurrent: '4',
    max_retries: '3',
    max_gen_toks: '64',
    tokenizer: 'org/base-1',
    tokenized_requests: 'False',
    max_length: '4096',
  })
  expect(parseModelArgs(openaiCompletions, args)).toMatchObject({
    model: 'base-1',
    num_concurrent: 4,
    max_gen_toks: 64,
  })
  expect(note).toBe(
    'model openai_completions: no effect here: tokenizer, tokenized_requests (texts are sent, and the server makes tokens of them), max_length (prompts are sent whole)',
  )
})

describe('what is called otherwise here', () => {
  test.each([
    [{ pretrained: 'm' }, { model: 'm' }],
    [
      { model: 'm', model_version: '2026-01' },
      { model: 'm', model_version: '2026-01' },
    ],
    [
      { model: 'm', max_frames_num: '10' },
      { model: 'm', nframes: '10', min_pixels: 100_352, max_pixels: 602_112 },
    ],
    [
      { model: 'm', max_frames_num: '10', video_fps: '2' },
      { model: 'm', max_frames: '10', fps: '2', min_pixels: 100_352, max_pixels: 602_112 },
    ],
    [
      { model: 'm', is_qwen3_vl: 'True' },
      { model: 'm', message_format: 'qwen3_vl' },
    ],
    [{ model: 'm', is_qwen3_vl: 'False' }, { model: 'm' }],
    [
      { model: 'm', httpx_trust_env: 'False' },
      { model: 'm', proxy: 'none' },
    ],
    [{ model: 'm', httpx_trust_env: 'True' }, { model: 'm' }],
    [
      { model: 'm', extra_body: '{"top_k":5}', enable_thinking_kwarg: 'false' },
      { model: 'm', extra_body: { top_k: 5, chat_template_kwargs: { enable_thinking: false } } },
    ],
  ])('%j', (given: Record<string, unknown>, args: Record<string, unknown>) => {
    expect(fromLmms(openai, given)).toEqual({ args })
  })

  test.each([
    ['1', '2'],
    ['3', '4'],
    ['5', '4'],
    ['7', '8'],
    ['9', '8'],
  ])('max_frames_num=%s is %s frames, as qwen-vl-utils takes them in pairs; Claude is shown all', (wanted, nframes) => {
    expect(fromLmms(openai, { model: 'm', max_frames_num: wanted, max_pixels: '784' })).toEqual({
      args: { model: 'm', nframes, min_pixels: 100_352, max_pixels: '784' },
    })
    expect(fromLmms(anthropic, { model: 'm', max_frames_num: wanted })).toEqual({
      args: { model: 'm', nframes: wanted },
    })
  })

  test('says nothing where it is said in both words', () => {
    const { args, note } = fromLmms(openai, { model: 'm', num_concurrent: '4', num_cpus: '8' })
    expect(args).toEqual({ model: 'm', num_concurrent: '4' })
    expect(note).toBe('model openai: no effect here: num_cpus (num_concurrent is given, too)')
  })

  test('is left alone where a backend knows the name itself', () => {
    expect(fromLmms(vllm, { model: 'm', max_frame_num: '8', batch_size: '4' })).toEqual({
      args: { model: 'm', max_frame_num: '8', batch_size: '4' },
    })
  })

  test('does nothing where a backend has nothing of the kind', () => {
    const { args, note } = fromLmms(gemini, { model: 'm', max_frames_num: '10' })
    expect(args).toEqual({ model: 'm' })
    expect(note).toBe('model gemini: no effect here: max_frames_num (videos are sent whole)')
  })
})

test('the order of requests and what stands before conversations are told apart from arguments', () => {
  expect(fromLmms(openai, { model: 'm', prefix_aware_queue: 'False', system_prompt: 'Be short.' })).toEqual({
    args: { model: 'm' },
    order: 'none',
    systemPrompt: 'Be short.',
  })
})

test('Azure is another model here', () => {
  expect(() => fromLmms(openai, { model: 'm', azure_openai: 'True' })).toThrow('give model: "azure_openai" instead')
  expect(fromLmms(openai, { model: 'm', azure_openai: 'False' })).toEqual({ args: { model: 'm' } })
})

test('unknown arguments stay, and are rejected later', () => {
  const { args } = fromLmms(openai, { model: 'm', temprature: '1' })
  expect(() => parseModelArgs(openai, args)).toThrow('model openai has no argument "temprature"')
})

test('sampling parameters become generation kwargs with a note, but not those of a judge model', () => {
  const given = { model: 'm', temperature: '0.7', max_new_tokens: '64', do_sample: 'True' }
  expect(fromLmms(openai, given)).toEqual({
    args: { model: 'm' },
    generation: { temperature: 0.7, max_new_tokens: 64, do_sample: true },
    note: expect.stringContaining('model openai: temperature, max_new_tokens, do_sample: used as ') as string,
  })
  expect(fromLmms(openai, given, { takesSampling: false })).toEqual({ args: given })
})
