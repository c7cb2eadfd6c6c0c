import { eventText } from '../event-text.js'
import type { CannedReply, CorpusCase, VariedBackend } from './cases.js'
import * as inputs from './inputs.js'

export const reply = (body: unknown, more: Omit<CannedReply, 'body'> = {}): readonly CannedReply[] => [
  { body: typeof body === 'string' ? body : JSON.stringify(body), ...more },
]
export const stream = (...events: Parameters<typeof eventText>[0]): readonly CannedReply[] => [
  { headers: { 'content-type': 'text/event-stream' }, body: eventText(events) },
]
const error = (status: number, code: string | null, message = 'told to fail'): readonly CannedReply[] =>
  reply({ error: { message, type: 'x', code } }, { status })

/** Error replies of servers with this protocol. */
export const openaiErrors = {
  'bad request': error(400, 'invalid_value'),
  'no key': error(401, 'invalid_api_key'),
  'no such model': error(404, 'model_not_found'),
  'too many requests': error(429, 'rate_limit_exceeded'),
  'no money left': error(429, 'insufficient_quota'),
  'server error': error(500, null),
  overloaded: error(503, null),
  'filtered prompt': error(400, 'content_filter'),
  'context too long': error(400, 'context_length_exceeded', 'maximum context length is 8 tokens'),
  'no JSON': reply('<html>'),
  'other JSON': reply({ a: 1 }),
  'error under status 200': reply({ error: { message: 'upstream', code: 502 } }),
}

/** Token counts in OpenAI's format. */
export const usage = {
  prompt_tokens: 70,
  completion_tokens: 30,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 64, audio_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 20 },
}

/** Argument values for all backends with video frames. */
export const frameValues = {
  message_format: ['qwen3_vl'],
  nframes: [3, 8, 31],
  fps: [0.37, 2, 3.3],
  max_frames: [4],
  min_pixels: [300_000, 400_000],
  max_pixels: [1_000, 50_000],
  frame_times: ['pts', 'rate'],
}

/** Other arguments that an argument of frames needs to have an effect. */
const besideFrames = {
  nframes: {},
  fps: {},
  message_format: { nframes: 5 },
  max_frames: { fps: 2 },
  min_pixels: { nframes: 4, max_pixels: 1_000_000 },
  max_pixels: { nframes: 4 },
  frame_times: { fps: 2, message_format: 'qwen3_vl' },
}

/** Argument values for all remote backends. */
export const sendingValues = {
  omit: [['temperature'], ['seed', 'max_tokens', 'stream_options']],
  extra_body: [{ top_k: 5, nested: { a: [1, null] } }],
}

/** A backend of the OpenAI protocol that uses the stand-in server. */
export const server = (id: string, more: VariedBackend['base'] = {}): VariedBackend => ({
  id,
  base: { model: 'm-1', base_url: '{origin}/v1', api_key: 'test-key', ...more },
  values: {},
})

/** Combines every argument of frames with every video, because other inputs do not use them. */
export const framedCases = (backend: VariedBackend, replies: readonly CannedReply[]): readonly CorpusCase[] =>
  Object.entries(besideFrames).flatMap(([argument, beside]) =>
    [undefined, ...frameValues[argument as keyof typeof frameValues]].flatMap(value =>
      Object.entries(inputs.videos).map(([shown, input]) => ({
        name: `${backend.id} | frames | ${argument}=${value} beside ${JSON.stringify(beside)} | ${shown}`,
        backend: backend.id,
        args: { ...backend.base, ...beside, ...(value === undefined ? {} : { [argument]: value }) },
        input,
        generation: {},
        replies,
      })),
    ),
  )

/** Replies that no real API sends. */
export const strangeReplies = { 'no JSON': reply('<html>'), 'other JSON': reply({ a: 1 }) }

/** Inputs with all kinds of media, with and without tools. */
export const allInputs = {
  ...inputs.texts,
  ...inputs.pictures,
  ...inputs.toolInputs,
  ...inputs.sounds,
  ...inputs.documents,
  ...inputs.videos,
}
