import { z } from 'zod'
import { without } from '../../../base/values/without.js'
import { affectsOutput } from '../backend-args.js'
import { defineBackend } from '../define-backend.js'
import {
  apiIdentity,
  apiKeyArg,
  baseUrlArg,
  mediaCode,
  modelArg,
  modelVersionArg,
  readSending,
  sendingArgs,
} from './http/protocol/api-backend.js'
import { resolveEndpoint, shownBaseUrl, type EndpointRules } from './http/protocol/endpoint.js'
import { openaiBaseUrl } from './openai/define-chat-backend.js'

const endpoint: EndpointRules = {
  backend: 'openai_transcriptions',
  defaultBaseUrl: openaiBaseUrl,
  baseUrlVariables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  keyVariables: ['OPENAI_API_KEY'],
  example: 'http://127.0.0.1:8000/v1',
  callSuffix: /\/audio(\/transcriptions)?$/,
}

/** See https://platform.openai.com/docs/guides/speech-to-text */
const openaiMostBytes = 25 * 2 ** 20

const args = {
  model: modelArg,
  base_url: baseUrlArg(`else $OPENAI_BASE_URL, $OPENAI_API_BASE, ${openaiBaseUrl}`),
  model_version: modelVersionArg,
  api_key: apiKeyArg('else $OPENAI_API_KEY; a local server may need none'),
  language: affectsOutput(z.string().min(1).optional().describe('language of the speech, such as en')),
  hint: affectsOutput(
    z.string().min(1).optional().describe('text that names and spellings are taken from, as the field prompt'),
  ),
  ...without(sendingArgs, 'stream'),
}

/** Speech recognition by the transcriptions API of the OpenAI protocol. It hears one recording; the texts of a request have no effect. */
export const openaiTranscriptions = defineBackend({
  id: 'openai_transcriptions',
  summary: 'speech recognition: the transcriptions of any server that speaks the OpenAI protocol',
  args,
  accepts: ['text', 'audio'],
  requests: ['generate_until'],
  // It has no revision, whose golden corpus holds requests in JSON: the digests of these files are in the keys.
  code: {
    files: [
      'stages/model/backends/openai-transcriptions.ts',
      'stages/model/backends/openai/transcription-client.ts',
      ...mediaCode,
    ],
  },
  concurrency: 'adaptive',
  identify: async (modelArgs, { env }) => Promise.resolve(apiIdentity(endpoint, modelArgs, { args, env })),
  async open(modelArgs, context) {
    const { openTranscriptions } = await import('./openai/transcription-client.js')
    const resolved = resolveEndpoint(endpoint, modelArgs, context.env)
    return openTranscriptions({
      endpoint: resolved,
      fields: {
        model: modelArgs.model,
        response_format: 'json',
        ...(modelArgs.language !== undefined && { language: modelArgs.language }),
        ...(modelArgs.hint !== undefined && { prompt: modelArgs.hint }),
      },
      patience: readSending({ ...modelArgs, stream: false }),
      context,
      mostBytes: shownBaseUrl(resolved) === openaiBaseUrl ? openaiMostBytes : undefined,
    })
  },
})
