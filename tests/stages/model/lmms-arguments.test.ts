import { describe, expect, test } from 'vitest'
import { anthropic } from '../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../stages/model/backends/gemini.js'
import { openai } from '../../../stages/model/backends/openai.js'
import { openaiCompletions } from '../../../stages/model/backends/openai-completions.js'
import { vllm } from '../../../stages/model/backends/vllm.js'
import { fromLmms } from '../../../stages/model/lmms-arguments.js'
import { parseModelArgs, readScheduling } from '../../../stages/model/model-args.js'

test("accepts arguments of lmms-eval's scheduler, and one note names those without effect", () => {
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
    'model openai: no effect here: adaptive_target_latency_s, adaptive_increase_step, adaptive_decrease_factor, adaptive_failure_threshold (how many requests are in flight follows the answers a second and the rate limits, and no such figure), prefix_hash_chars (requests go together by the whole of what they begin with)',
  )
})

test('accepts arguments of lm-evaluation-harness for a server of base models', () => {
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

describe('an argument with another name here', () => {
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
  ])('max_frames_num=%s means %s frames, because qwen-vl-utils uses pairs; Claude gets all', (wanted, nframes) => {
    expect(fromLmms(openai, { model: 'm', max_frames_num: wanted, max_pixels: '784' })).toEqual({
      args: { model: 'm', nframes, min_pixels: 100_352, max_pixels: '784' },
    })
    expect(fromLmms(anthropic, { model: 'm', max_frames_num: wanted })).toEqual({
      args: { model: 'm', nframes: wanted },
    })
  })

  test('gets a note if both names are given', () => {
    const { args, note } = fromLmms(openai, { model: 'm', num_concurrent: '4', num_cpus: '8' })
    expect(args).toEqual({ model: 'm', num_concurrent: '4' })
    expect(note).toBe('model openai: no effect here: num_cpus (num_concurrent is given, too)')
  })

  test('is kept if a backend has an argument of that name', () => {
    expect(fromLmms(vllm, { model: 'm', max_frame_num: '8', batch_size: '4' })).toEqual({
      args: { model: 'm', max_frame_num: '8', batch_size: '4' },
    })
  })

  test('is ignored if a backend has no such argument', () => {
    const { args, note } = fromLmms(gemini, { model: 'm', max_frames_num: '10' })
    expect(args).toEqual({ model: 'm' })
    expect(note).toBe('model gemini: no effect here: max_frames_num (videos are sent whole)')
  })
})

test('separates the request order and the system prompt from arguments', () => {
  expect(fromLmms(openai, { model: 'm', prefix_aware_queue: 'False', system_prompt: 'Be short.' })).toEqual({
    args: { model: 'm' },
    order: 'none',
    systemPrompt: 'Be short.',
  })
})

test('names azure_openai as the model for Azure', () => {
  expect(() => fromLmms(openai, { model: 'm', azure_openai: 'True' })).toThrow('give model: "azure_openai" instead')
  expect(fromLmms(openai, { model: 'm', azure_openai: 'False' })).toEqual({ args: { model: 'm' } })
})

test('keeps unknown arguments, which are rejected later', () => {
  const { args } = fromLmms(openai, { model: 'm', temprature: '1' })
  expect(() => parseModelArgs(openai, args)).toThrow('model openai has no argument "temprature"')
})

test('turns sampling parameters into generation kwargs with a note, except for a judge model', () => {
  const given = { model: 'm', temperature: '0.7', max_new_tokens: '64', do_sample: 'True' }
  expect(fromLmms(openai, given)).toEqual({
    args: { model: 'm' },
    generation: { temperature: 0.7, max_new_tokens: 64, do_sample: true },
    note: expect.stringContaining('model openai: temperature, max_new_tokens, do_sample: used as ') as string,
  })
  expect(fromLmms(openai, given, { takesSampling: false })).toEqual({ args: given })
})
