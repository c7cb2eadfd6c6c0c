/** Streams of servers that are compatible with OpenAI: how they cut tool calls, filtered answers and errors. */
import { describe, expect, test } from 'vitest'
import type { AttemptError, ModelRequest } from '../../../../../stages/model/model.js'
import { parseAnswer } from '../../../../../stages/model/backends/openai/chat-answer.js'
import { parseMessage } from '../../../../../stages/model/backends/anthropic/message-answer.js'
import { StreamedMessage } from '../../../../../stages/model/backends/anthropic/message-stream.js'
import { parseContent } from '../../../../../stages/model/backends/gemini/content-answer.js'
import { parseResponse } from '../../../../../stages/model/backends/openai-responses/response-answer.js'
import { StreamedChat } from '../../../../../stages/model/backends/openai/chat-stream.js'
import type { Endpoint } from '../../../../../stages/model/backends/http/protocol/endpoint.js'

const endpoint: Endpoint = { backend: 'openai', origin: 'http://a', path: '/v1', apiKey: undefined, keyVariable: 'KEY' }
const tools = [{ name: 'read', description: '', parameters: {} }]
const request = { input: { type: 'generate_until', messages: [], tools }, generation: {} } as unknown as ModelRequest

/** Reads the events of a stream as the backend does. */
function readStream(events: readonly (object | string)[]) {
  const stream = new StreamedChat(endpoint)
  for (const event of events)
    stream.take({ type: 'message', data: typeof event === 'string' ? event : JSON.stringify(event) })
  return parseAnswer({ headers: {}, text: stream.end() }, request, endpoint)
}

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
})

type Part = readonly [
  index: number | null | undefined,
  id: string | null | undefined,
  name?: string | null | undefined,
  args?: unknown,
]

const call = ([index, id, name, args]: Part): object =>
  chunk({
    tool_calls: [
      {
        ...(index !== undefined && { index }),
        ...(id !== undefined && { id }),
        type: 'function',
        function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
      },
    ],
  })

const [a, b] = ['{"path":"a"}', '{"path":"b"}']
const one = [['read', a]]
const two = [
  ['read', a],
  ['read', b],
]

const forms: Readonly<
  Record<string, { readonly parts: readonly Part[]; readonly calls: readonly (readonly string[])[] }>
> = {
  'OpenAI: id and name first, an index in each part': {
    parts: [
      [0, 'x', 'read', ''],
      [0, undefined, undefined, '{"path":'],
      [0, undefined, undefined, '"a"}'],
      [1, 'y', 'read', ''],
      [1, undefined, undefined, b],
    ],
    calls: two,
  },
  'OpenAI: parts of two calls in turn': {
    parts: [
      [0, 'x', 'read', ''],
      [1, 'y', 'read', ''],
      [0, undefined, undefined, a],
      [1, undefined, undefined, b],
    ],
    calls: two,
  },
  'Ollama: index 0 for each call': {
    parts: [
      [0, 'x', 'read', a],
      [0, 'y', 'read', b],
    ],
    calls: two,
  },
  'Ollama: index 0 and no id': {
    parts: [
      [0, '', 'read', a],
      [0, '', 'read', b],
    ],
    calls: two,
  },
  'vLLM: null as id and name of later parts': {
    parts: [
      [0, 'x', 'read', null],
      [0, null, null, '{"path":'],
      [0, null, null, '"a"}'],
    ],
    calls: one,
  },
  'vLLM up to 0.6: another id in each part': {
    parts: [
      [0, 'x1', 'read'],
      [0, 'x2', undefined, '{"path":'],
      [0, 'x3', undefined, '"a"}'],
      [1, 'x4', 'read'],
      [1, 'x5', undefined, b],
    ],
    calls: two,
  },
  'SGLang: id and name again in each part': {
    parts: [
      [0, 'x', 'read', ''],
      [0, 'x', 'read', '{"path":'],
      [0, 'x', 'read', '"a"}'],
    ],
    calls: one,
  },
  'llama.cpp: the id in the first part, an index from 0': {
    parts: [
      [0, 'x', 'read', '{'],
      [0, undefined, undefined, '"path":"a"}'],
      [1, 'y', 'read', '{'],
      [1, undefined, undefined, '"path":"b"}'],
    ],
    calls: two,
  },
  'Gemini: whole calls without an index': {
    parts: [
      [undefined, 'x', 'read', a],
      [undefined, 'y', 'read', b],
    ],
    calls: two,
  },
  'Gemini: whole calls with neither index nor id': {
    parts: [
      [undefined, '', 'read', a],
      [undefined, '', 'read', b],
    ],
    calls: two,
  },
  'null as index, the same id in each part': {
    parts: [
      [null, '0', 'read', ''],
      [null, '0', '', '{"path":'],
      [null, '0', '', '"a"}'],
    ],
    calls: one,
  },
  'null as index, an id in first parts only': {
    parts: [
      [null, 'x', 'read', ''],
      [null, null, null, a],
      [null, 'y', 'read', ''],
      [null, null, null, b],
    ],
    calls: two,
  },
  'the same id for calls of different indices': {
    parts: [
      [0, 'x', 'read', a],
      [1, 'x', 'read', b],
    ],
    calls: two,
  },
  'arguments under an index that no call has': {
    parts: [
      [0, 'x', 'read', ''],
      [1, undefined, undefined, a],
    ],
    calls: one,
  },
  'a name in two parts': {
    parts: [
      [0, 'x', 're', ''],
      [0, undefined, 'ad', ''],
      [0, undefined, undefined, a],
    ],
    calls: one,
  },
  'arguments as an object': { parts: [[0, 'x', 'read', { path: 'a' }]], calls: one },
  'an id that comes after the name': {
    parts: [
      [0, undefined, 'read', ''],
      [0, 'x', undefined, a],
    ],
    calls: one,
  },
  'indices that begin at 1': {
    parts: [
      [1, 'x', 'read', a],
      [2, 'y', 'read', b],
    ],
    calls: two,
  },
}

test.each(Object.entries(forms))('joins streamed tool calls of %s', (_, { parts, calls }) => {
  const { body } = readStream([...parts.map(call), chunk({}, 'tool_calls'), '[DONE]'])
  expect(body.toolCalls?.map(({ name, arguments: args }) => [name, args])).toEqual(calls)
  expect(new Set(body.toolCalls?.map(({ id }) => id)).size).toBe(_.startsWith('the same id') ? 1 : calls.length)
})

function fail(read: () => unknown): Pick<AttemptError, 'class' | 'message' | 'isRetryable'> {
  try {
    read()
  } catch (error) {
    const { class: failureClass, message, isRetryable } = error as AttemptError
    return { class: failureClass, message, isRetryable }
  }
  throw new Error('no failure')
}

const readReply = (body: object) => parseAnswer({ headers: {}, text: JSON.stringify(body) }, request, endpoint)
const words = 'maximum context length is 10 tokens'

describe('an error with status 200', () => {
  test.each<[string, object, string, boolean]>([
    [
      'vLLM up to 0.10, LMDeploy',
      { object: 'error', message: words, type: 'BadRequestError', code: 400 },
      'invalid_request',
      false,
    ],
    ['vLLM', { error: { message: words, type: 'BadRequestError', param: null, code: 400 } }, 'invalid_request', false],
    [
      'SGLang',
      { error: { object: 'error', message: words, type: 'BadRequestError', code: null } },
      'invalid_request',
      false,
    ],
    [
      'OpenRouter',
      { id: 'x', error: { code: 400, message: words }, choices: [{ delta: { content: '' }, finish_reason: 'error' }] },
      'invalid_request',
      false,
    ],
    ['FastChat', { text: words, error_code: 40303 }, 'invalid_request', false],
    ['FastAPI', { detail: words }, 'invalid_request', false],
    ['FastAPI, invalid fields', { detail: [{ loc: ['body', 'stop'], msg: words }] }, 'invalid_request', false],
    ['a code as text', { error: { message: words, code: '400' } }, 'invalid_request', false],
    [
      'an overload',
      { object: 'error', message: `${words}?`.replace(words, 'busy'), type: 'x', code: 503 },
      'server',
      true,
    ],
    [
      'a rate limit',
      { object: 'error', message: 'slow down', type: 'RateLimitError', code: 429 },
      'rate_limited',
      true,
    ],
    ['FastChat, overloaded', { text: 'busy', error_code: 42903 }, 'rate_limited', true],
    ['no code', { error: { message: 'failed' } }, 'server', true],
  ])('of %s is read with its words, in a stream and alone', (_, body, failureClass, isRetryable) => {
    for (const read of [() => readStream([body, '[DONE]']), () => readReply(body)]) {
      const failure = fail(read)
      expect(failure).toMatchObject({ class: failureClass, isRetryable })
      if (failureClass === 'invalid_request') expect(failure.message).toContain(words)
    }
  })
})

describe('a filtered answer', () => {
  const end = { index: 0, finish_reason: 'content_filter' }
  test.each<[string, object]>([
    ['null as message', { ...end, message: null }],
    ['an empty message', { ...end, message: { role: 'assistant' } }],
    ['no message', { ...end, content_filter_results: { hate: { filtered: true, severity: 'high' } } }],
    ['an empty text', { ...end, message: { role: 'assistant', content: '' } }],
    ['a part of the text', { ...end, message: { role: 'assistant', content: 'I' } }],
  ])('with %s is refused', (_, choice) => {
    expect(fail(() => readReply({ choices: [choice] }))).toMatchObject({ class: 'refused', isRetryable: false })
  })

  test.each<[string, object]>([
    ['no delta', { ...end, content_filter_results: {} }],
    ['null as delta', { ...end, delta: null }],
    ['an empty delta', { ...end, delta: {} }],
  ])('in a stream with %s is refused', (_, choice) => {
    const before = { choices: [], prompt_filter_results: [{ prompt_index: 0 }] }
    for (const first of [[], [before], [chunk({ role: 'assistant', content: 'I' })]])
      expect(fail(() => readStream([...first, { choices: [choice] }, '[DONE]']))).toMatchObject({ class: 'refused' })
  })

  test("of Azure's filter is refused, wherever the filter is named", () => {
    for (const error of [
      { code: 'content_filter', message: 'filtered', status: 400 },
      { code: '400', message: 'filtered', innererror: { code: 'ResponsibleAIPolicyViolation' } },
    ])
      expect(fail(() => readReply({ error }))).toMatchObject({ class: 'refused', isRetryable: false })
  })

  test('without a filter, an answer without a message is no answer and is asked for again', () => {
    const choice = { index: 0, finish_reason: 'stop' }
    for (const message of [undefined, null, {}])
      expect(fail(() => readReply({ choices: [{ ...choice, message }] }))).toMatchObject({
        class: 'server',
        isRetryable: true,
      })
  })
})

describe('other protocols', () => {
  const received = (body: object) => ({ headers: {}, text: JSON.stringify(body) })
  test.each<[string, () => unknown]>([
    [
      'Anthropic, no content',
      () => parseMessage(received({ type: 'message', stop_reason: 'refusal' }), request, endpoint),
    ],
    ['Anthropic, null', () => parseMessage(received({ stop_reason: 'refusal', content: null }), request, endpoint)],
    ['Anthropic, empty', () => parseMessage(received({ stop_reason: 'refusal', content: [] }), request, endpoint)],
    ['Gemini', () => parseContent(received({ candidates: [{ finishReason: 'SAFETY' }] }), request, endpoint)],
    [
      'Gemini, null',
      () => parseContent(received({ candidates: [{ finishReason: 'SPII', content: null }] }), request, endpoint),
    ],
    ['Gemini, prompt', () => parseContent(received({ promptFeedback: { blockReason: 'OTHER' } }), request, endpoint)],
    [
      'Responses, no output',
      () =>
        parseResponse(
          received({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }),
          request,
          endpoint,
        ),
    ],
    [
      'Responses, null as output',
      () =>
        parseResponse(
          received({ status: 'incomplete', output: null, incomplete_details: { reason: 'content_filter' } }),
          request,
          endpoint,
        ),
    ],
  ])('refuse a filtered answer without content (%s)', (_, read) => {
    expect(fail(read)).toMatchObject({ class: 'refused', isRetryable: false })
  })

  test('read an error event of Anthropic that is the error object itself', () => {
    const stream = new StreamedMessage(endpoint)
    stream.take({ type: 'error', data: JSON.stringify({ type: 'invalid_request_error', message: words }) })
    const failure = fail(() => parseMessage({ headers: {}, text: stream.end() }, request, endpoint))
    expect(failure.class).toBe('invalid_request')
    expect(failure.message).toContain(words)
  })
})
