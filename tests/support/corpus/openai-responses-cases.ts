import { openaiResponse } from '../fake-openai.js'
import { framedCases, frameValues, openaiErrors, reply, sendingValues, server, stream } from './canned.js'
import { combined, type CorpusCase } from './cases.js'
import * as inputs from './inputs.js'

const responseReplies = {
  text: reply(openaiResponse('yes, Sir')),
  'stop sequence in it': reply(openaiResponse('yes STOP no STOP or')),
  'reasoning apart': reply(
    openaiResponse('4', {}, [{ id: 'rs', type: 'reasoning', summary: [{ type: 'summary_text', text: '2 + 2' }] }]),
  ),
  'called tools': reply(
    openaiResponse('', {}, [
      { id: 'rs', type: 'reasoning', encrypted_content: 'EqQB', summary: [] },
      { id: 'fc', type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":1}' },
    ]),
  ),
  'its limit': reply(
    openaiResponse('ye', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
  ),
  filtered: reply(openaiResponse('ye', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } })),
  refusal: reply(openaiResponse('', { output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }] })),
  failed: reply(openaiResponse('', { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow' } })),
  'commentary before the answer': reply(
    openaiResponse('4', {}, [
      {
        type: 'message',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Let me see.' }],
      },
    ]),
  ),
  'counted tokens': reply(
    openaiResponse('yes', {
      usage: {
        input_tokens: 70,
        output_tokens: 30,
        input_tokens_details: { cached_tokens: 64 },
        output_tokens_details: { reasoning_tokens: 20 },
      },
    }),
  ),
  'no usage': reply(openaiResponse('yes', { usage: null })),
  'no output': reply(openaiResponse('', { output: [] })),
  ...openaiErrors,
}

const responseStreams = {
  text: stream(
    [
      'response.created',
      { type: 'response.created', response: openaiResponse('', { status: 'in_progress', output: [] }) },
    ],
    ['response.output_text.delta', { type: 'response.output_text.delta', output_index: 0, delta: 'yes' }],
    ['response.completed', { type: 'response.completed', response: openaiResponse('yes') }],
  ),
  'output left out at the end': stream(
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', content: [{ type: 'output_text', text: '4' }] },
    },
    { type: 'response.completed', response: openaiResponse('', { output: [] }) },
  ),
  'its limit': stream({
    type: 'response.incomplete',
    response: openaiResponse('ye', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
  }),
  failed: stream({
    type: 'response.failed',
    response: openaiResponse('', { status: 'failed', error: { code: 'server_error', message: 'x' } }),
  }),
  'cut off': stream({ type: 'response.output_text.delta', output_index: 0, delta: 'yes' }),
}

/** Cases of OpenAI's Responses API. */
export const openaiResponses = (): readonly CorpusCase[] => [
  ...combined({
    backends: [
      {
        ...server('openai_responses'),
        values: {
          ...sendingValues,
          ...frameValues,
          model: ['m-2'],
          detail: ['low', 'high', 'auto'],
          reasoning_effort: ['low', 'high'],
          reasoning_summary: ['auto', 'concise', 'detailed'],
          media_as: ['url', 'bytes'],
          modalities: ['text+image'],
        },
      },
    ],
    inputs: { ...inputs.texts, ...inputs.pictures, ...inputs.toolInputs, ...inputs.documents },
    refused: { ...inputs.sounds, ...inputs.videos },
    generations: inputs.generations,
    impossible: { ...inputs.beams, ...inputs.seeds },
    replies: responseReplies,
    streams: responseStreams,
  }),
  ...framedCases(server('openai_responses'), responseReplies.text),
]
