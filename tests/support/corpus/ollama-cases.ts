import { completion } from '../fake-openai.js'
import { framedCases, frameValues, reply, strangeReplies } from './canned.js'
import { combined, type CannedReply, type CorpusCase, type VariedBackend } from './cases.js'
import * as inputs from './inputs.js'

const line = (message: object, fields: object = {}): object => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...fields,
})
const done = { done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 298 }
const look = { function: { name: 'look', arguments: { at: 'Paris' } } }
const lines = (...all: readonly object[]): readonly CannedReply[] => [
  { headers: { 'content-type': 'application/x-ndjson' }, body: all.map(one => `${JSON.stringify(one)}\n`).join('') },
]
const ollamaServer: VariedBackend = { id: 'ollama', base: { model: 'm-1', base_url: '{origin}' }, values: {} }

/** Cases of Ollama's own API, and of its OpenAI-compatible API under `/v1`. */
export const ollama = (): readonly CorpusCase[] => [
  ...combined({
    backends: [
      {
        ...ollamaServer,
        values: {
          ...frameValues,
          model: ['m-2'],
          num_ctx: [2048],
          think: [true, false, 'low'],
          reasoning_effort: ['high'],
          options: [{ repeat_penalty: 1.1, temperature: 0.3 }],
          dialect: ['openrouter'],
          modalities: ['text+image'],
          omit: [['temperature', 'truncate']],
          extra_body: [{ format: 'json' }],
        },
      },
      {
        ...ollamaServer,
        label: 'ollama /v1',
        base: { model: 'm-1', base_url: '{origin}/v1' },
        reply: reply(completion('Paris')),
      },
    ],
    inputs: { ...inputs.texts, ...inputs.pictures, ...inputs.toolInputs },
    refused: { ...inputs.sounds, ...inputs.videos, ...inputs.documents },
    generations: { ...inputs.generations, ...inputs.seeds },
    impossible: inputs.beams,
    replies: {
      text: reply(line({ content: 'naïve Paris' }, done)),
      'stop sequence in it': reply(line({ content: 'yes STOP no STOP or' }, done)),
      'empty text': reply(line({}, done)),
      'its limit': reply(line({ content: 'ye' }, { ...done, done_reason: 'length' })),
      'thinking apart': reply(line({ content: '4', thinking: '2 + 2' }, done)),
      'called tools': reply(line({ content: 'So.', tool_calls: [look, { id: 'b', ...look }] }, done)),
      'unknown reason to stop': reply(line({ content: 'yes' }, { ...done, done_reason: 'because' })),
      'loaded only': reply(line({}, { ...done, done_reason: 'load' })),
      'not done': reply(line({ content: 'ye' })),
      'no counts': reply(line({ content: 'yes' }, { done: true })),
      'bad request': reply({ error: 'bad' }, { status: 400 }),
      'no such model': reply({ error: 'model "m" not found' }, { status: 404 }),
      overloaded: reply({ error: 'busy' }, { status: 503 }),
      'server error': reply({ error: 'broken' }, { status: 500 }),
      'error under status 200': reply({ error: 'broken' }),
      ...strangeReplies,
    },
    streams: {
      text: lines(line({ content: 'naïve' }), line({ content: ' Paris' }), line({}, done)),
      'thinking and calls': lines(
        line({ thinking: 'hm, ' }),
        line({ thinking: '2' }),
        line({ tool_calls: [look] }),
        line({}, done),
      ),
      'its limit': lines(line({ content: 'ye' }), line({}, { ...done, done_reason: 'length' })),
      'cut off': lines(line({ content: 'ye' })),
      'error amid it': lines(line({ content: 'ye' }), { error: 'broken' }),
    },
  }),
  ...framedCases(ollamaServer, reply(line({ content: 'yes' }, done))),
]
