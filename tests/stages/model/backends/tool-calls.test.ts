import { expect, onTestFinished, test } from 'vitest'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { ChatMessage, Input, ToolCall, ToolDeclaration } from '../../../../cache/records.js'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../../stages/model/backends/gemini.js'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import { openai } from '../../../../stages/model/backends/openai.js'
import type { AnyBackend } from '../../../../stages/model/define-backend.js'
import { askBackend } from '../../../support/backend-client.js'
import { claudeMessage } from '../../../support/fake-anthropic.js'
import { geminiAnswer } from '../../../support/fake-gemini.js'
import { completion, openaiResponse } from '../../../support/fake-openai.js'
import { startFakeProvider } from '../../../support/fake-provider.js'
import { picture } from '../../../support/own-task.js'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

const tools: readonly ToolDeclaration[] = [
  { name: 'weather', description: 'Tells the weather.', parameters: schema },
  { name: 'now' },
]

const noArguments = { type: 'object', properties: {} }

async function connect(backend: AnyBackend, answer: object) {
  const server = await startFakeProvider(() => ({ body: answer }))
  onTestFinished(() => server.close())
  const base = backend.id.startsWith('openai') ? `${server.url}/v1` : server.url
  const client = await askBackend(backend, { model: 'm-1', base_url: base, api_key: 'k' })
  return { ...client, sent: () => server.seen.at(-1)!.body as Record<string, unknown> }
}

const text = (said: string): ChatMessage['content'] => [{ type: 'text', text: said }]
const user: ChatMessage = { role: 'user', content: text('Shall I take a coat?') }

/** Two calls, one of them malformed, and their results: a text with a picture, and an error. */
const talk = (image: MediaDigest, calling: Partial<ChatMessage> = {}): Input => ({
  type: 'generate_until',
  tools,
  messages: [
    user,
    {
      role: 'assistant',
      content: text('Let me see.'),
      toolCalls: [
        { id: 'id-1', name: 'weather', arguments: '{"city":"Bern"}' },
        { id: 'id-2', name: 'now', arguments: '{oops' },
      ],
      ...calling,
    },
    {
      role: 'tool',
      toolCallId: 'id-1',
      toolName: 'weather',
      content: [...text('Rain.'), { type: 'image', media: image }],
    },
    { role: 'tool', toolCallId: 'id-2', toolName: 'now', isToolError: true, content: text('not JSON') },
  ],
})

const png = () => picture(7)
const base64 = async () => (await png()).toString('base64')

const called: readonly ToolCall[] = [
  { id: 'id-1', name: 'weather', arguments: '{"city":"Bern"}' },
  { id: 'id-2', name: 'now', arguments: '{}' },
]

test('openai: sends tools as functions, and returns calls as the model wrote them', async () => {
  const functions = [
    { id: 'id-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
    { id: 'id-2', type: 'function', function: { name: 'now', arguments: '{}' } },
  ]
  const { answer, sent } = await connect(
    openai,
    completion(null, 'tool_calls', { tool_calls: functions, reasoning_content: 'Hm.' }),
  )
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body).toEqual({
    text: '',
    finishReason: 'tool_calls',
    reasoning: 'Hm.',
    toolCalls: called,
    turn: { reasoning_content: 'Hm.' },
  })
  expect(sent()).toEqual({
    model: 'm-1',
    temperature: 0,
    messages: [{ role: 'user', content: 'Shall I take a coat?' }],
    tools: [
      { type: 'function', function: { name: 'weather', description: 'Tells the weather.', parameters: schema } },
      { type: 'function', function: { name: 'now', parameters: noArguments } },
    ],
    tool_choice: 'auto',
  })
})

test('openai: sends results by call id, and their pictures in a later turn', async () => {
  const { answer, sent, addMedium } = await connect(openai, completion('Yes.'))
  const input = talk(await addMedium(await png()), { turn: { reasoning_content: 'Hm.' } })
  expect((await answer(input)).body).toEqual({ text: 'Yes.', finishReason: 'stop' })
  expect(sent()['messages']).toEqual([
    { role: 'user', content: 'Shall I take a coat?' },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoning_content: 'Hm.',
      tool_calls: [
        { id: 'id-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
        { id: 'id-2', type: 'function', function: { name: 'now', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'id-1', content: 'Rain.' },
    { role: 'tool', tool_call_id: 'id-2', content: 'not JSON' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What weather gave:' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${await base64()}` } },
      ],
    },
  ])
})

test.each<[string, object]>([
  ['stop', { function: { name: 'now', arguments: {} } }],
  ['tool_calls', { id: null, type: 'function', function: { name: 'now' } }],
  ['tool_calls', { id: '', function: { name: 'now', arguments: '{}' } }],
])('openai: reads calls with finish reason %s, missing ids or parsed arguments', async (finish, call) => {
  const { answer } = await connect(openai, completion('', finish, { tool_calls: [call] }))
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body).toMatchObject({
    finishReason: 'tool_calls',
    toolCalls: [{ id: 'call_0', name: 'now', arguments: '{}' }],
  })
})

test('openai: sends extra fields of a call back with it', async () => {
  const extra_content = { google: { thought_signature: 'sig' } }
  const call = { id: 'id-1', type: 'function', function: { name: 'now', arguments: '{}' }, extra_content }
  const { answer, sent } = await connect(openai, completion(null, 'tool_calls', { tool_calls: [call] }))
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  const { toolCalls, turn } = body
  await answer({
    type: 'generate_until',
    tools,
    messages: [user, { role: 'assistant', content: [], toolCalls: toolCalls!, turn: turn! }],
  })
  expect((sent()['messages'] as unknown[])[1]).toEqual({ role: 'assistant', content: null, tool_calls: [call] })
})

test('anthropic: sends tools with an input schema, and keeps a turn with its signed thoughts', async () => {
  const blocks = [
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'text', text: 'Let me see.' },
    { type: 'tool_use', id: 'id-1', name: 'weather', input: { city: 'Bern' } },
    { type: 'tool_use', id: 'id-2', name: 'now', input: {} },
  ]
  const { answer, sent } = await connect(anthropic, claudeMessage(blocks, { stop_reason: 'tool_use' }))
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body).toEqual({
    text: 'Let me see.',
    finishReason: 'tool_calls',
    reasoning: 'Hm.',
    toolCalls: called,
    turn: blocks,
  })
  expect(sent()).toMatchObject({
    tools: [
      { name: 'weather', description: 'Tells the weather.', input_schema: schema },
      { name: 'now', input_schema: noArguments },
    ],
  })
})

test('anthropic: sends all results in one user turn, with their pictures', async () => {
  const { answer, sent, addMedium } = await connect(anthropic, claudeMessage('Yes.'))
  const image = await addMedium(await png())
  await answer(talk(image))
  const results = {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'id-1',
        content: [
          { type: 'text', text: 'Rain.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: await base64() } },
        ],
      },
      { type: 'tool_result', tool_use_id: 'id-2', is_error: true, content: [{ type: 'text', text: 'not JSON' }] },
    ],
  }
  expect(sent()['messages']).toEqual([
    { role: 'user', content: 'Shall I take a coat?' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'id-1', name: 'weather', input: { city: 'Bern' } },
        { type: 'tool_use', id: 'id-2', name: 'now', input: {} },
      ],
    },
    results,
  ])
  const turn = [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }]
  await answer(talk(image, { turn }))
  expect((sent()['messages'] as unknown[])[1]).toEqual({ role: 'assistant', content: turn })
})

test('gemini: sends tools as function declarations, and keeps a turn with its signatures', async () => {
  const parts = [
    { text: 'Let me see.' },
    { functionCall: { name: 'weather', args: { city: 'Bern' } }, thoughtSignature: 'sig' },
    { functionCall: { name: 'now' } },
  ]
  const { answer, sent } = await connect(gemini, geminiAnswer(parts))
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body).toEqual({
    text: 'Let me see.',
    finishReason: 'tool_calls',
    toolCalls: [
      { id: 'call_0', name: 'weather', arguments: '{"city":"Bern"}' },
      { id: 'call_1', name: 'now', arguments: '{}' },
    ],
    turn: parts,
  })
  expect(sent()).toMatchObject({
    tools: [
      {
        functionDeclarations: [
          { name: 'weather', description: 'Tells the weather.', parametersJsonSchema: schema },
          { name: 'now', description: '', parametersJsonSchema: noArguments },
        ],
      },
    ],
  })
})

test('gemini: sends results as function responses of one turn, each followed by its pictures', async () => {
  const { answer, sent, addMedium } = await connect(gemini, geminiAnswer('Yes.'))
  const image = await addMedium(await png())
  await answer(talk(image))
  expect(sent()['contents']).toEqual([
    { role: 'user', parts: [{ text: 'Shall I take a coat?' }] },
    {
      role: 'model',
      parts: [
        { text: 'Let me see.' },
        { functionCall: { name: 'weather', args: { city: 'Bern' } } },
        { functionCall: { name: 'now', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'id-1', name: 'weather', response: { result: 'Rain.' } } },
        { inline_data: { mime_type: 'image/png', data: await base64() } },
        { functionResponse: { id: 'id-2', name: 'now', response: { error: 'not JSON' } } },
      ],
    },
  ])
  const turn = [{ functionCall: { name: 'now' }, thoughtSignature: 'sig' }]
  await answer(talk(image, { turn }))
  expect((sent()['contents'] as unknown[])[1]).toEqual({ role: 'model', parts: turn })
})

test('openai_responses: calls are items, and reasoning is sent back with them', async () => {
  const items = [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'x' },
    { id: 'rs_2', type: 'reasoning', summary: [] },
    { id: 'fc_1', type: 'function_call', call_id: 'id-1', name: 'weather', arguments: '{"city":"Bern"}' },
    { id: 'fc_2', type: 'function_call', call_id: 'id-2', name: 'now', arguments: '{}' },
  ]
  const { answer, sent } = await connect(openaiResponses, openaiResponse('', { output: items }))
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body).toEqual({
    text: '',
    finishReason: 'tool_calls',
    reasoning: 'Hm.',
    toolCalls: called,
    // A thought without content is not stored.
    turn: [items[0], items[2], items[3]],
  })
  expect(sent()).toEqual({
    model: 'm-1',
    temperature: 0,
    store: false,
    input: [{ role: 'user', content: 'Shall I take a coat?' }],
    tools: [
      { type: 'function', name: 'weather', description: 'Tells the weather.', parameters: schema, strict: false },
      { type: 'function', name: 'now', parameters: noArguments, strict: false },
    ],
    tool_choice: 'auto',
    include: ['reasoning.encrypted_content'],
  })
})

test('openai_responses: text between calls is not part of the answer, and is sent back with its phase', async () => {
  const said = (phase: string, text: string) => ({
    id: `msg_${phase}`,
    type: 'message',
    role: 'assistant',
    phase,
    content: [{ type: 'output_text', text, annotations: [] }],
  })
  const call = { id: 'fc_1', type: 'function_call', call_id: 'id-1', name: 'weather', arguments: '{"city":"Bern"}' }
  const { answer, sent, addMedium } = await connect(
    openaiResponses,
    openaiResponse('', { output: [said('commentary', 'I look it up.'), call, said('final_answer', 'Yes.')] }),
  )
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body).toMatchObject({ text: 'Yes.', turn: [{ phase: 'commentary' }, call, { phase: 'final_answer' }] })
  await answer(talk(await addMedium(await png()), { turn: body.turn! }))
  expect((sent()['input'] as unknown[]).slice(1, 4)).toMatchObject([
    { phase: 'commentary' },
    call,
    { phase: 'final_answer' },
  ])
})

test('openrouter: sends signed thoughts back with their turn', async () => {
  const details = [{ type: 'reasoning.encrypted', data: 'x', format: 'anthropic-claude-v1', index: 0 }]
  const functions = [{ id: 'id-1', type: 'function', function: { name: 'now', arguments: '{}' } }]
  const { answer, sent, addMedium } = await connect(
    openai,
    completion(null, 'tool_calls', { tool_calls: functions, reasoning: 'Hm.', reasoning_details: details }),
  )
  const { body } = await answer({ type: 'generate_until', messages: [user], tools })
  expect(body.turn).toEqual({ reasoning: 'Hm.', reasoning_details: details })
  await answer(talk(await addMedium(await png()), { turn: body.turn! }))
  expect((sent()['messages'] as unknown[])[1]).toMatchObject({ reasoning: 'Hm.', reasoning_details: details })
})

test('openai_responses: sends results as items by call id, with their pictures', async () => {
  const { answer, sent, addMedium } = await connect(openaiResponses, openaiResponse('Yes.'))
  const image = await addMedium(await png())
  await answer(talk(image))
  expect(sent()['input']).toEqual([
    { role: 'user', content: 'Shall I take a coat?' },
    { role: 'assistant', content: 'Let me see.' },
    { type: 'function_call', call_id: 'id-1', name: 'weather', arguments: '{"city":"Bern"}' },
    { type: 'function_call', call_id: 'id-2', name: 'now', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'id-1',
      output: [
        { type: 'input_text', text: 'Rain.' },
        { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${await base64()}` },
      ],
    },
    { type: 'function_call_output', call_id: 'id-2', output: 'not JSON' },
  ])
  const turn = [{ id: 'fc_1', type: 'function_call', call_id: 'id-1', name: 'now', arguments: '{}' }]
  await answer(talk(image, { turn }))
  expect((sent()['input'] as unknown[])[1]).toEqual(turn[0])
})

test.each<[AnyBackend, object]>([
  [openai, completion('Hi', 'tool_calls', { tool_calls: [{ id: 'a', function: { name: 'now', arguments: '{}' } }] })],
  [anthropic, claudeMessage([{ type: 'tool_use', id: 'a', name: 'now', input: {} }], { stop_reason: 'tool_use' })],
])('ignores tool calls if no tool was declared', async (backend, said) => {
  const { ask } = await connect(backend, said)
  expect((await ask('Hi')).body.toolCalls).toBeUndefined()
})
