import { geminiAnswer, googleError } from '../fake-gemini.js'
import { allInputs, reply, strangeReplies, stream } from './canned.js'
import { combined, type CannedReply, type CorpusCase, type VariedBackend } from './cases.js'
import * as inputs from './inputs.js'

const google: VariedBackend = {
  id: 'gemini',
  base: { model: 'gemini-2', base_url: '{origin}', api_key: 'test-key' },
  values: {},
}

/** The API's replies to an upload, and to the request that uses it. */
const uploading: readonly CannedReply[] = [
  ...reply(googleError(404, 'NOT_FOUND'), { status: 404 }),
  ...reply('{}', { headers: { 'x-goog-upload-url': '{origin}/upload/place' } }),
  ...reply({ file: { name: 'files/a', uri: '{origin}/v1beta/files/a', state: 'ACTIVE' } }),
  ...reply(geminiAnswer('yes')),
]

/** Cases of Google's Gemini API. */
export const gemini = (): readonly CorpusCase[] => [
  ...combined({
    backends: [
      {
        ...google,
        values: {
          model: ['gemini-3-pro'],
          api_version: ['v1', 'v1alpha', 'v1beta'],
          thinking_budget: [-1, 0, 100],
          thinking_level: ['low', 'high'],
          include_thoughts: [true, false],
          safety_threshold: ['OFF', 'BLOCK_NONE', 'BLOCK_ONLY_HIGH', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_LOW_AND_ABOVE'],
          media_resolution: ['low', 'medium', 'high'],
          media_as: ['url', 'bytes'],
          modalities: ['text+image'],
          omit: [['temperature']],
          extra_body: [{ cachedContent: 'x' }],
        },
      },
    ],
    inputs: allInputs,
    generations: { ...inputs.generations, ...inputs.seeds },
    impossible: inputs.beams,
    replies: {
      text: reply(geminiAnswer('Paris')),
      'stop sequence in it': reply(geminiAnswer('yes STOP no STOP or')),
      'thoughts apart': reply(
        geminiAnswer(
          [{ text: '2 + 2', thought: true }, { text: '4' }],
          {},
          {
            usageMetadata: {
              promptTokenCount: 70,
              candidatesTokenCount: 3,
              thoughtsTokenCount: 20,
              cachedContentTokenCount: 64,
              promptTokensDetails: [
                { modality: 'AUDIO', tokenCount: 5 },
                { modality: 'TEXT', tokenCount: 65 },
              ],
            },
          },
        ),
      ),
      'called tools': reply(
        geminiAnswer([
          { text: 'Let me see.' },
          { functionCall: { name: 'look', args: { at: 'Paris' } }, thoughtSignature: 'EqQB' },
          { functionCall: { id: 'f2', name: 'count' } },
        ]),
      ),
      'its limit': reply(geminiAnswer('ye', { finishReason: 'MAX_TOKENS' })),
      'nothing before its limit': reply(geminiAnswer([], { content: { role: 'model' }, finishReason: 'MAX_TOKENS' })),
      'nothing at all': reply(geminiAnswer([], { content: null, finishReason: 'OTHER' })),
      'unknown reason to stop': reply(geminiAnswer('yes', { finishReason: 'OTHER' })),
      'blocked answer': reply(geminiAnswer('a', { finishReason: 'SAFETY' })),
      recitation: reply(geminiAnswer('a', { finishReason: 'RECITATION', finishMessage: 'it is known' })),
      'blocked prompt': reply({ promptFeedback: { blockReason: 'SAFETY' } }),
      'no candidate': reply({ candidates: [] }),
      'no usage': reply(geminiAnswer('yes', {}, { usageMetadata: undefined })),
      'bad request': reply(googleError(400, 'INVALID_ARGUMENT'), { status: 400 }),
      'no key': reply(googleError(403, 'PERMISSION_DENIED'), { status: 403 }),
      'no such model': reply(googleError(404, 'NOT_FOUND'), { status: 404 }),
      'too many requests': reply(googleError(429, 'RESOURCE_EXHAUSTED'), { status: 429 }),
      'server error': reply(googleError(500, 'INTERNAL'), { status: 500 }),
      overloaded: reply(googleError(503, 'UNAVAILABLE'), { status: 503 }),
      'error under status 200': reply(googleError(503, 'UNAVAILABLE')),
      ...strangeReplies,
    },
    streams: {
      text: stream(geminiAnswer('Pa', { finishReason: undefined }), geminiAnswer('ris STOP and STOP')),
      'thoughts apart': stream(
        geminiAnswer([{ text: '2 + 2', thought: true }], { finishReason: undefined }),
        geminiAnswer('4'),
      ),
      'called tools': stream(
        geminiAnswer('So.', { finishReason: undefined }),
        geminiAnswer([{ functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'EqQB' }]),
      ),
      'cut off': stream(geminiAnswer('ye', { finishReason: undefined })),
      'no JSON amid it': stream(geminiAnswer('ye', { finishReason: undefined }), '{'),
    },
  }),
  ...Object.entries({ ...inputs.videos, document: inputs.documents['document'] ?? inputs.videos['video'] }).flatMap(
    ([shown, input]) =>
      input === undefined
        ? []
        : [
            {
              name: `gemini | uploaded | ${shown}`,
              backend: 'gemini',
              args: { ...google.base, max_inline_mb: 0 },
              input,
              generation: {},
              replies: uploading,
            },
          ],
  ),
]
