import { claudeError, claudeMessage } from '../fake-anthropic.js'
import { framedCases, frameValues, reply, strangeReplies, stream } from './canned.js'
import { combined, type CorpusCase, type VariedBackend } from './cases.js'
import * as inputs from './inputs.js'

const claude: VariedBackend = {
  id: 'anthropic',
  base: { model: 'claude-3-5-sonnet', base_url: '{origin}', api_key: 'test-key' },
  values: {},
}

const claudeEvent = (type: string, fields: object = {}): readonly [string, object] => [type, { type, ...fields }]
const claudeStart = claudeEvent('message_start', {
  message: claudeMessage([], { stop_reason: null, usage: { input_tokens: 7, output_tokens: 1 } }),
})
const claudeEnd = (reason: string) =>
  [
    claudeEvent('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 3 } }),
    claudeEvent('message_stop'),
  ] as const
const begun = (index: number, content_block: object) => claudeEvent('content_block_start', { index, content_block })
const delta = (index: number, piece: object) => claudeEvent('content_block_delta', { index, delta: piece })

/** Cases of Anthropic's Messages API. */
export const anthropic = (): readonly CorpusCase[] => [
  ...combined({
    backends: [
      {
        ...claude,
        values: {
          ...frameValues,
          model: ['claude-opus-4-6', 'claude-sonnet-5', 'claude-2', 'other-model'],
          anthropic_version: ['2023-06-01', '2026-10-21'],
          anthropic_beta: [['one'], ['one', 'two']],
          max_tokens: [99],
          thinking: ['adaptive', 2048],
          media_as: ['url', 'bytes'],
          modalities: ['text+image'],
          omit: [['temperature'], ['seed']],
          extra_body: [{ service_tier: 'auto' }],
        },
      },
    ],
    inputs: { ...inputs.texts, ...inputs.pictures, ...inputs.toolInputs, ...inputs.documents },
    refused: { ...inputs.sounds, ...inputs.videos },
    generations: inputs.generations,
    impossible: { ...inputs.beams, ...inputs.seeds },
    replies: {
      text: reply(claudeMessage('Paris')),
      'stop sequence in it': reply(claudeMessage('yes STOP no STOP or')),
      nothing: reply(claudeMessage([])),
      'its limit': reply(claudeMessage('ye', { stop_reason: 'max_tokens' })),
      'end of its context': reply(claudeMessage('ye', { stop_reason: 'model_context_window_exceeded' })),
      'a stop sequence': reply(claudeMessage('ye', { stop_reason: 'stop_sequence', stop_sequence: 'STOP' })),
      'unknown reason to stop': reply(claudeMessage('ye', { stop_reason: 'because' })),
      'thinking apart': reply(
        claudeMessage(
          [
            { type: 'thinking', thinking: '2 + 2', signature: 'EqQB' },
            { type: 'redacted_thinking', data: 'EmwK' },
            { type: 'text', text: '4' },
          ],
          {
            usage: {
              input_tokens: 7,
              cache_creation_input_tokens: 5,
              cache_read_input_tokens: 50,
              output_tokens: 30,
              output_tokens_details: { thinking_tokens: 20 },
            },
          },
        ),
      ),
      'called tools': reply(
        claudeMessage(
          [
            { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'Paris' } },
            { type: 'tool_use', id: 'toolu_2', name: 'count', input: {} },
          ],
          { stop_reason: 'tool_use' },
        ),
      ),
      'paused turns': [
        ...reply(
          claudeMessage([{ type: 'server_tool_use', id: 's1', name: 'x', input: {} }], { stop_reason: 'pause_turn' }),
        ),
        ...reply(claudeMessage('So', { stop_reason: 'pause_turn' })),
        ...reply(claudeMessage(' it is.')),
      ],
      refusal: reply(claudeMessage('no', { stop_reason: 'refusal' })),
      'no usage': reply(claudeMessage('yes', { usage: null })),
      'bad request': reply(claudeError('invalid_request_error'), { status: 400 }),
      'no key': reply(claudeError('authentication_error'), { status: 401 }),
      'no such model': reply(claudeError('not_found_error'), { status: 404 }),
      'too many requests': reply(claudeError('rate_limit_error'), { status: 429 }),
      'server error': reply(claudeError('api_error'), { status: 500 }),
      overloaded: reply(claudeError('overloaded_error'), { status: 529 }),
      'error under status 200': reply(claudeError('overloaded_error')),
      ...strangeReplies,
    },
    streams: {
      text: stream(
        claudeStart,
        begun(0, { type: 'text', text: '' }),
        claudeEvent('ping'),
        delta(0, { type: 'text_delta', text: 'Pa' }),
        delta(0, { type: 'text_delta', text: 'ris STOP and STOP' }),
        ...claudeEnd('end_turn'),
      ),
      'thinking apart': stream(
        claudeStart,
        begun(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: '2 + 2' }),
        delta(0, { type: 'signature_delta', signature: 'EqQB' }),
        begun(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: '4' }),
        ...claudeEnd('max_tokens'),
      ),
      'called tools': stream(
        claudeStart,
        begun(0, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{"at":"Par' }),
        delta(0, { type: 'input_json_delta', partial_json: 'is"}' }),
        ...claudeEnd('tool_use'),
      ),
      'cut off': stream(claudeStart, begun(0, { type: 'text', text: 'ye' })),
      'error amid it': stream(claudeStart, claudeEvent('error', { error: { type: 'overloaded_error', message: 'x' } })),
    },
  }),
  ...framedCases(claude, reply(claudeMessage('yes'))),
]
