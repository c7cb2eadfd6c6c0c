import { describe, expect, onTestFinished, test } from 'vitest'
import type { AnyBackend } from '../../../../stages/model/define-backend.js'
import type { AttemptProgress } from '../../../../stages/model/model.js'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../../stages/model/backends/gemini.js'
import { ollama } from '../../../../stages/model/backends/ollama.js'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import { openai } from '../../../../stages/model/backends/openai.js'
import { askBackend } from '../../../support/backend-client.js'
import { eventText, streamOf } from '../../../support/event-text.js'
import { claudeMessage } from '../../../support/fake-anthropic.js'
import { geminiAnswer } from '../../../support/fake-gemini.js'
import { completion, openaiResponse } from '../../../support/fake-openai.js'
import { startFakeProvider, type Reply } from '../../../support/fake-provider.js'

type Events = Parameters<typeof eventText>[0]

const generation = { until: ['STOP'] }
const env = { OPENAI_API_KEY: 'sk-1234567', ANTHROPIC_API_KEY: 'sk-1234567', GEMINI_API_KEY: 'sk-1234567' }

async function connect(backend: AnyBackend, reply: Reply, args: Record<string, unknown> = {}) {
  const server = await startFakeProvider(({ method }) => (method === 'GET' ? { body: { version: '0.12.6' } } : reply))
  onTestFinished(() => server.close())
  // Under /v1, Ollama offers another API.
  const base_url = backend.id === 'ollama' ? server.url : `${server.url}/v1`
  const client = await askBackend(backend, { model: 'm', base_url, ...args }, env)
  return { ...client, server }
}

const chunk = (delta: object, finish: string | null = null, fields: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'fake',
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  ...fields,
})
const chatUsage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
const counted = { choices: [], usage: chatUsage }

const chats: readonly (readonly [string, object, Events])[] = [
  [
    'a text',
    completion('Paris, "the" City'),
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Paris' }),
      chunk({ content: ', "the"' }),
      chunk({ content: ' City' }),
      chunk({}, 'stop'),
      counted,
      '[DONE]',
    ],
  ],
  ['an empty text', completion(''), [chunk({ role: 'assistant', content: '' }), chunk({}, 'stop'), counted, '[DONE]']],
  [
    'a text that a stop sequence ends, amid which comments keep the connection alive',
    completion('yes STOP no', 'length'),
    [': PROCESSING', chunk({ content: 'yes ST' }), ':', chunk({ content: 'OP no' }, 'length'), counted, '[DONE]'],
  ],
  [
    'reasoning apart',
    {
      ...completion('4', 'stop', { reasoning_content: '2 + 2' }),
      usage: { ...chatUsage, completion_tokens_details: { reasoning_tokens: 2 } },
    },
    [
      chunk({ role: 'assistant', content: null, reasoning_content: '2 ' }),
      chunk({ reasoning_content: '+ 2' }),
      chunk({ content: '4', reasoning_content: null }),
      chunk({}, 'stop', { usage: { ...chatUsage, completion_tokens_details: { reasoning_tokens: 2 } } }),
      '[DONE]',
    ],
  ],
  [
    'reasoning by its other name, without an answer before the limit',
    completion(null, 'length', { reasoning: 'well, ' }),
    [chunk({ role: 'assistant', reasoning: 'well' }), chunk({ reasoning: ', ' }), chunk({}, 'length'), counted],
  ],
  [
    'parts that think and answer',
    completion(null, 'stop', {
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'hm, 2' }] },
        { type: 'text', text: 'two.' },
      ],
    }),
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm, ' }] }] }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: '2' }] }] }),
      chunk({ content: 'two' }),
      chunk({ content: '.' }, 'stop', { usage: chatUsage }),
      '[DONE]',
    ],
  ],
  [
    'no word for the end, and the count in a field of its own',
    completion('yes'),
    [chunk({ content: 'yes' }), chunk({}, 'stop', { x_groq: { usage: chatUsage } })],
  ],
  [
    'several choices, of which the first counts',
    completion('one'),
    [
      { choices: [{ index: 1, delta: { content: 'two' }, finish_reason: 'length' }] },
      { choices: [{ index: 0, delta: { content: 'one' } }] },
      chunk({}, 'stop'),
      counted,
      '[DONE]',
    ],
  ],
  [
    'calls of tools in pieces',
    completion(null, 'tool_calls', {
      tool_calls: [
        {
          id: 'call_a',
          type: 'function',
          function: { name: 'look', arguments: '{"at":"Paris"}' },
          extra_content: { a: 1 },
        },
        { id: 'call_b', type: 'function', function: { name: 'count', arguments: '{}' } },
      ],
    }),
    [
      chunk({
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            index: 0,
            id: 'call_a',
            type: 'function',
            function: { name: 'look', arguments: '' },
            extra_content: { a: 1 },
          },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"at":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'count' } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
      counted,
      '[DONE]',
    ],
  ],
  [
    'whole calls of tools without places',
    completion('Let me see.', 'tool_calls', {
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'b', type: 'function', function: { name: 'look', arguments: '{"at":2}' } },
      ],
    }),
    [
      chunk({ content: 'Let me see.' }),
      chunk({ tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: { at: 1 } } }] }),
      chunk({ tool_calls: [{ id: 'b', type: 'function', function: { name: 'look', arguments: '{"at":2}' } }] }),
      chunk({}, 'tool_calls'),
      counted,
      '[DONE]',
    ],
  ],
  [
    'no count',
    { choices: [{ message: { role: 'assistant', content: 'yes' }, finish_reason: null }] },
    [chunk({ content: 'yes' }), '[DONE]'],
  ],
]

const delta = (index: number, piece: object): readonly [string, object] => [
  'content_block_delta',
  { type: 'content_block_delta', index, delta: piece },
]
const started = (index: number, block: object): readonly [string, object] => [
  'content_block_start',
  { type: 'content_block_start', index, content_block: block },
]
const stopped = (index: number): readonly [string, object] => [
  'content_block_stop',
  { type: 'content_block_stop', index },
]
const messageStart = (usage: object = { input_tokens: 7, cache_read_input_tokens: 0, output_tokens: 1 }) =>
  ['message_start', { type: 'message_start', message: { ...claudeMessage([], { stop_reason: null, usage }) } }] as const
const messageEnd = (reason: string, output = 3) =>
  [
    [
      'message_delta',
      {
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: output },
      },
    ],
    ['message_stop', { type: 'message_stop' }],
  ] as const

const messages: readonly (readonly [string, object, Events])[] = [
  [
    'a text in two blocks',
    claudeMessage([
      { type: 'text', text: 'yes, ' },
      { type: 'text', text: 'Sir' },
    ]),
    [
      messageStart(),
      started(0, { type: 'text', text: '' }),
      ['ping', { type: 'ping' }],
      delta(0, { type: 'text_delta', text: 'yes' }),
      delta(0, { type: 'text_delta', text: ', ' }),
      stopped(0),
      started(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Sir' }),
      stopped(1),
      ...messageEnd('end_turn'),
    ],
  ],
  [
    'thinking apart, with counts that come late',
    claudeMessage(
      [
        { type: 'thinking', thinking: '2 + 2', signature: 'EqQB' },
        { type: 'redacted_thinking', data: 'EmwK' },
        { type: 'text', text: '4' },
      ],
      {
        stop_reason: 'max_tokens',
        usage: { input_tokens: 7, cache_creation_input_tokens: 5, cache_read_input_tokens: 50, output_tokens: 30 },
      },
    ),
    [
      messageStart({
        input_tokens: 7,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 50,
        output_tokens: 1,
      }),
      started(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: '2 +' }),
      delta(0, { type: 'thinking_delta', thinking: ' 2' }),
      delta(0, { type: 'signature_delta', signature: 'EqQB' }),
      stopped(0),
      started(1, { type: 'redacted_thinking', data: 'EmwK' }),
      stopped(1),
      started(2, { type: 'text', text: '' }),
      delta(2, { type: 'text_delta', text: '4' }),
      stopped(2),
      ...messageEnd('max_tokens', 30),
    ],
  ],
  ['nothing', claudeMessage([]), [messageStart(), ...messageEnd('end_turn')]],
  [
    'a call of a tool after a thought',
    claudeMessage(
      [
        { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'Paris', deep: { er: [1] } } },
        { type: 'tool_use', id: 'toolu_2', name: 'count', input: {} },
      ],
      { stop_reason: 'tool_use' },
    ),
    [
      messageStart(),
      started(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: 'EqQB' }),
      started(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'Let me see.' }),
      started(2, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"at":"Par' }),
      delta(2, { type: 'input_json_delta', partial_json: 'is","deep":{"er":[1]}}' }),
      started(3, { type: 'tool_use', id: 'toolu_2', name: 'count', input: {} }),
      ...messageEnd('tool_use'),
    ],
  ],
  [
    'a kind of event that nobody knows yet',
    claudeMessage('yes STOP'),
    [
      messageStart(),
      ['news', { type: 'news', of: 'the future' }],
      started(0, { type: 'text', text: 'yes' }),
      delta(0, { type: 'text_delta', text: ' STOP' }),
      ...messageEnd('end_turn'),
    ],
  ],
]

const contents: readonly (readonly [string, object, Events])[] = [
  [
    'a text',
    geminiAnswer('Paris, France'),
    [
      geminiAnswer('Paris', { finishReason: undefined }, { usageMetadata: { promptTokenCount: 7 } }),
      geminiAnswer(', France', { finishReason: undefined }),
      geminiAnswer([{ text: '' }]),
    ],
  ],
  [
    'thoughts apart',
    geminiAnswer([{ text: '2 + 2', thought: true }, { text: '4' }], {}, { usageMetadata: { thoughtsTokenCount: 2 } }),
    [
      geminiAnswer([{ text: '2 ', thought: true }], { finishReason: undefined }, { usageMetadata: {} }),
      geminiAnswer([{ text: '+ 2', thought: true }], { finishReason: undefined }, { usageMetadata: {} }),
      geminiAnswer('4', {}, { usageMetadata: { thoughtsTokenCount: 2 } }),
    ],
  ],
  [
    'a call of a tool with its signed thought',
    geminiAnswer([
      { text: 'Let me see.' },
      { functionCall: { name: 'look', args: { at: 'Paris' } }, thoughtSignature: 'EqQB' },
    ]),
    [
      geminiAnswer('Let me', { finishReason: undefined }),
      geminiAnswer(' see.', { finishReason: undefined }),
      geminiAnswer([{ functionCall: { name: 'look', args: { at: 'Paris' } }, thoughtSignature: 'EqQB' }]),
    ],
  ],
  [
    'a text that is signed at its end',
    geminiAnswer([{ text: 'Paris', thoughtSignature: 'EqQB' }]),
    [
      geminiAnswer('Par', { finishReason: undefined }),
      geminiAnswer('is', { finishReason: undefined }),
      geminiAnswer([{ text: '', thoughtSignature: 'EqQB' }]),
    ],
  ],
  [
    'nothing before the limit',
    geminiAnswer([], { content: { role: 'model' }, finishReason: 'MAX_TOKENS' }),
    [geminiAnswer([{ text: '' }], { finishReason: 'MAX_TOKENS' })],
  ],
]

const item = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const thought = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: '2 + 2' }] }
const called = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' }
const begun = openaiResponse('', { status: 'in_progress', output: [], usage: null })

const responses: readonly (readonly [string, object, Events])[] = [
  [
    'a text',
    openaiResponse('yes, Sir'),
    [
      ['response.created', { type: 'response.created', response: begun }],
      ['response.output_text.delta', { type: 'response.output_text.delta', output_index: 0, delta: 'yes, ' }],
      ['response.output_text.delta', { type: 'response.output_text.delta', output_index: 0, delta: 'Sir' }],
      ['response.completed', { type: 'response.completed', response: openaiResponse('yes, Sir') }],
    ],
  ],
  [
    'reasoning apart, where the last event leaves the output out',
    openaiResponse('4', {}, [thought]),
    [
      { type: 'response.created', response: begun },
      { type: 'response.output_item.done', output_index: 1, item: item('4') },
      { type: 'response.output_item.done', output_index: 0, item: thought },
      { type: 'response.completed', response: openaiResponse('', { output: [] }) },
      '[DONE]',
    ],
  ],
  [
    'a call of a tool',
    openaiResponse('', {}, [thought, called]),
    [
      { type: 'response.created', response: begun },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"at":' },
      { type: 'response.completed', response: openaiResponse('', {}, [thought, called]) },
    ],
  ],
  [
    'the limit',
    openaiResponse('ye', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    [
      {
        type: 'response.incomplete',
        response: openaiResponse('ye', {
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
        }),
      },
    ],
  ],
]

const line = (message: object, fields: object = {}): object => ({
  model: 'm',
  created_at: '2026-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...fields,
})
const done = { done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 298 }
const look = { function: { name: 'look', arguments: { at: 'Paris' } } }

const lines: readonly (readonly [string, object, Events])[] = [
  [
    'a text',
    line({ content: 'naïve Paris' }, done),
    [line({ content: 'naïve' }), line({ content: ' Paris' }), line({}, done)],
  ],
  [
    'thinking apart, and a call of a tool',
    line({ content: 'So.', thinking: 'hm, 2', tool_calls: [look] }, done),
    [
      line({ thinking: 'hm, ' }),
      line({ thinking: '2' }),
      line({ content: 'So.' }),
      line({ tool_calls: [look] }),
      line({}, done),
    ],
  ],
  [
    'the limit',
    line({ content: 'ye' }, { ...done, done_reason: 'length' }),
    [line({ content: 'ye' }), line({}, { ...done, done_reason: 'length' })],
  ],
]

const providers = [
  ['ollama', ollama, lines],
  ['openai', openai, chats],
  ['anthropic', anthropic, messages],
  ['gemini', gemini, contents],
  ['openai_responses', openaiResponses, responses],
] as const

describe.each(providers)('%s', (_, backend: AnyBackend, pairs) => {
  test.each(pairs)('%s gives the same answer streamed and unstreamed', async (_, whole, events) => {
    const inOne = await connect(backend, { body: whole })
    const inPieces = await connect(backend, piecesOf(backend, events), { stream: true })
    const answer = await inPieces.ask('Hi', generationFor(backend))
    expect(answer).toEqual(await inOne.ask('Hi', generationFor(backend)))
    const tools = [{ name: 'look' }, { name: 'count' }]
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
    const asked = { type: 'generate_until', messages, tools } as const
    expect(await inPieces.answer(asked)).toEqual(await inOne.answer(asked))
  })

  test.each(pairs)('%s that ends too early is a server failure', async (_, __, events) => {
    const { failure } = await connect(backend, piecesOf(backend, withoutEnd(events)), { stream: true })
    const { class: name, isRetryable, message } = await failure('Hi', generationFor(backend))
    expect([name, isRetryable]).toEqual(['server', true])
    expect(message).toContain('ended before its end')
  })

  test.each(pairs)('%s that arrives unstreamed despite stream=true is read', async (_, whole) => {
    const asked = await connect(backend, { body: whole }, { stream: true })
    const unasked = await connect(backend, { body: whole })
    expect(await asked.ask()).toEqual(await unasked.ask())
  })
})

/** Ollama sends lines, all others events. */
const piecesOf = ({ id }: AnyBackend, events: Events): Reply =>
  id === 'ollama'
    ? {
        headers: { 'content-type': 'application/x-ndjson' },
        body: events.map(event => `${JSON.stringify(event)}\n`).join(''),
      }
    : streamOf(events)

/** The Responses API accepts no stop sequences. */
const generationFor = ({ id }: AnyBackend) => (id === 'openai_responses' ? {} : generation)

/** Removes the events that mark the end. */
const withoutEnd = (events: Events): Events =>
  events.flatMap(event => {
    const text = eventText([event])
    if (
      /"finish_reason":"|\[DONE\]|"finishReason"|message_(delta|stop)|"done":true|response\.(completed|incomplete)/.test(
        text,
      )
    )
      return []
    return [event]
  })

test("requests a stream in the provider's own terms, and changes nothing else", async () => {
  const chat = await connect(openai, streamOf(chats[0]![2]), { stream: true })
  await chat.ask()
  const plain = { model: 'm', temperature: 0, messages: [{ role: 'user', content: 'Hi' }] }
  expect(chat.server.seen[0]).toMatchObject({ path: '/v1/chat/completions' })
  expect(chat.server.seen[0]!.body).toEqual({ ...plain, stream: true, stream_options: { include_usage: true } })
  const spared = await connect(openai, streamOf(chats[0]![2]), { stream: true, omit: 'stream_options' })
  await spared.ask()
  expect(spared.server.seen[0]!.body).toEqual({ ...plain, stream: true })
  const claude = await connect(anthropic, streamOf(messages[0]![2]), { stream: true })
  await claude.ask()
  expect(claude.server.seen[0]!.body).toEqual({ ...plain, max_tokens: 4096, stream: true })
  const google = await connect(gemini, streamOf(contents[0]![2]), { stream: true })
  await google.ask()
  expect(google.server.seen[0]!.path).toBe('/v1beta/models/m:streamGenerateContent?alt=sse')
  expect(google.server.seen[0]!.body).not.toHaveProperty('stream')
  const response = await connect(openaiResponses, streamOf(responses[0]![2]), { stream: true })
  await response.ask()
  expect(response.server.seen[0]!.body).toMatchObject({ stream: true, store: false })
})

test('reads events whatever content type the server states', async () => {
  const { ask } = await connect(openai, streamOf(chats[0]![2], 'text/plain'), { stream: true })
  expect((await ask()).body.text).toBe('Paris, "the" City')
})

test('says that the server streams although no stream was requested', async () => {
  const { failure } = await connect(openai, streamOf(chats[0]![2]))
  expect((await failure()).message).toContain('a stream, which nobody asked for')
})

const broken: readonly (readonly [string, AnyBackend, Events, string, boolean])[] = [
  [
    'an overloaded engine amid a chat',
    openai,
    [chunk({ content: 'ye' }), { error: { message: 'overloaded', code: 503 } }],
    'server',
    true,
  ],
  [
    'a limit amid a chat',
    openai,
    [chunk({ content: 'ye' }), { error: { message: 'slow down', code: 429 } }, '[DONE]'],
    'rate_limited',
    true,
  ],
  ['an error by the name of its event', openai, [['error', { message: 'it broke' }]], 'server', true],
  ['a filter amid a chat', openai, [chunk({ content: 'ye' }), chunk({}, 'content_filter'), '[DONE]'], 'refused', false],
  ['a refusal in pieces', openai, [chunk({ refusal: 'I can' }), chunk({ refusal: 'not' }, 'stop')], 'refused', false],
  ['no choices', openai, [{ choices: [] }, '[DONE]'], 'server', true],
  ['JSON that was cut', openai, [chunk({ content: 'ye' }), '{"choices":[{"del'], 'server', true],
  ['pieces of something else', openai, [{ choices: 'none' }, '[DONE]'], 'server', true],
  [
    'an overloaded provider amid a message',
    anthropic,
    [messageStart(), ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }]],
    'server',
    true,
  ],
  ['a refusal of a message', anthropic, [messageStart(), ...messageEnd('refusal')], 'refused', false],
  [
    'a quota amid content',
    gemini,
    [geminiAnswer('ye', { finishReason: undefined }), { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }],
    'rate_limited',
    true,
  ],
  ['a blocked prompt', gemini, [{ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: {} }], 'refused', false],
  ['a blocked answer', gemini, [geminiAnswer('ye', { finishReason: 'SAFETY' })], 'refused', false],
  [
    'a failed response',
    openaiResponses,
    [
      {
        type: 'response.failed',
        response: openaiResponse('', { status: 'failed', error: { code: 'server_error', message: 'it broke' } }),
      },
    ],
    'server',
    true,
  ],
  [
    'an error amid a response',
    openaiResponses,
    [{ type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null }],
    'rate_limited',
    true,
  ],
]

test.each(broken)('classes %s', async (_, backend, events, name, isRetryable) => {
  const { failure } = await connect(backend, streamOf(events), { stream: true })
  const { class: told, isRetryable: mayRetry } = await failure()
  expect([told, mayRetry]).toEqual([name, isRetryable])
})

test('reports the first token once, and only for a stream', async () => {
  for (const [stream, count] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const reply = stream ? streamOf(chats[3]![2]) : { body: completion('yes') }
    const { watched } = await connect(openai, reply, { stream })
    const progress: AttemptProgress[] = []
    await watched('Hi', event => progress.push(event))
    expect(progress.filter(({ type }) => type === 'first-token')).toHaveLength(count)
  }
})
