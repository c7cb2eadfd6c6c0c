import { completion } from '../fake-openai.js'
import {
  allInputs,
  framedCases,
  frameValues,
  openaiErrors,
  reply,
  sendingValues,
  server,
  stream,
  usage,
} from './canned.js'
import { combined, type CorpusCase } from './cases.js'
import * as inputs from './inputs.js'

const chatValues = {
  ...sendingValues,
  ...frameValues,
  model: ['m-2', 'org/Modèl "x"'],
  detail: ['low', 'high', 'auto'],
  reasoning_effort: ['low', 'high'],
  max_tokens_field: ['max_tokens', 'max_completion_tokens'],
  seed_field: ['seed', 'random_seed'],
  dialect: ['openai', 'openrouter', 'mistral'],
  media_as: ['url', 'file'],
  modalities: ['text+image'],
}

const toolCalls = [
  { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{"at":"Paris"}' }, extra_content: { a: 1 } },
  { id: '', type: 'function', function: { name: 'count', arguments: {} } },
]
const chatReplies = {
  text: reply(completion('Paris, "the" City')),
  'empty text': reply(completion('')),
  'no text': reply(completion(null)),
  'stop sequence in it': reply(completion('yes STOP no STOP or', 'length')),
  'its limit': reply(completion('ye', 'length')),
  'reasoning apart': reply({ ...completion('4', 'stop', { reasoning_content: '2 + 2' }), usage }),
  'reasoning within the count': reply({
    ...completion('4', 'stop', { reasoning_content: '2 + 2' }),
    usage: { ...usage, total_tokens: 100 },
  }),
  'reasoning by its other name': reply(completion('4', 'eos', { reasoning: 'well' })),
  'thinking in parts': reply(
    completion(null, 'model_length', {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
        { type: 'text', text: 'two' },
      ],
    }),
  ),
  'called tools': reply(completion('So.', 'tool_calls', { tool_calls: toolCalls, reasoning_content: 'look first' })),
  'signed thoughts': reply(
    completion(null, 'tool_calls', {
      tool_calls: toolCalls.slice(0, 1),
      reasoning_details: [{ type: 'x', data: 'EqQB' }],
    }),
  ),
  'unknown reason to stop': reply(completion('yes', 'because')),
  'no usage': reply({ choices: [{ message: { content: 'yes' }, finish_reason: null }] }),
  'cache hits of DeepSeek': reply({ ...completion('yes'), usage: { prompt_tokens: 9, prompt_cache_hit_tokens: 4 } }),
  refusal: reply(completion(null, 'stop', { refusal: 'I cannot' })),
  'content filter': reply(completion('a', 'content_filter')),
  'broken off': reply(completion('a', 'error')),
  'no choice': reply({ choices: [] }),
  'blank message': reply({ choices: [{ message: {}, finish_reason: 'stop' }] }),
  'error in the choice': reply({ choices: [{ error: { code: 429, message: 'slow' }, message: { content: '' } }] }),
  ...openaiErrors,
}

const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
})

const chatStreams = {
  text: stream(
    chunk({ role: 'assistant', content: '' }),
    chunk({ content: 'Pa' }),
    chunk({ content: 'ris' }),
    chunk({}, 'stop'),
    { choices: [], usage },
    '[DONE]',
  ),
  'stop sequence across pieces': stream(
    ': wait',
    chunk({ content: 'yes ST' }),
    chunk({ content: 'OP no STOP' }, 'length'),
    '[DONE]',
  ),
  'reasoning apart': stream(
    chunk({ reasoning_content: '2 ' }),
    chunk({ reasoning_content: '+ 2' }),
    chunk({ content: '4' }, 'stop', { usage }),
    '[DONE]',
  ),
  'called tools': stream(
    chunk({ tool_calls: [{ index: 0, id: 'call_a', function: { name: 'look', arguments: '{"at"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    chunk({ tool_calls: [{ index: 1, id: 'call_b', function: { name: 'count', arguments: '{}' } }] }, 'tool_calls'),
    '[DONE]',
  ),
  'cut off': stream(chunk({ content: 'ye' })),
  'error amid it': stream(chunk({ content: 'ye' }), { error: { message: 'overloaded', code: 503 } }),
  'no JSON amid it': stream(chunk({ content: 'ye' }), '{'),
  'in one piece all the same': reply(completion('yes')),
}

/** Cases of chat completions: the protocol's own backend, its presets, and attached engines. */
export const openaiChat = (): readonly CorpusCase[] => [
  ...combined({
    backends: [
      { ...server('openai'), values: chatValues },
      ...['groq', 'openrouter', 'together', 'fireworks', 'deepseek', 'mistral', 'xai', 'litellm'].map(id => server(id)),
      ...['vllm', 'sglang', 'llama_cpp', 'lmdeploy'].map(id => server(id)),
      {
        ...server('azure_openai', { base_url: '{origin}', api_version: '2024-10-21' }),
        values: { ...chatValues, deployment: ['mine'], api_version: ['2025-01-01-preview'] },
      },
    ],
    inputs: allInputs,
    generations: { ...inputs.generations, ...inputs.seeds },
    impossible: inputs.beams,
    replies: chatReplies,
    streams: chatStreams,
  }),
  ...framedCases(server('openai'), chatReplies.text),
]
