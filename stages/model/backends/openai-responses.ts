import { z } from 'zod'
import { type BackendDefinition, defineBackend } from '../define-backend.js'
import { affectsOutput } from '../backend-args.js'
import {
  apiCode,
  mediaCode,
  acceptedBy,
  apiIdentity,
  apiKeyArg,
  baseUrlArg,
  extraBodyArg,
  modalitiesArg,
  modelArg,
  modelVersionArg,
  omitArg,
  openApi,
  sendingArgs,
} from './http/protocol/api-backend.js'
import { conversionCode, mediaArg, type MediaForm } from './conversion/conversion-arguments.js'
import { convertedRequests, convertingModel, type Conversion } from './conversion/converted-requests.js'
import { frameArgs, frameCode } from './frames/frame-arguments.js'
import { noWholeVideos, showingFrames, shownInBatches } from './frames/showing-frames.js'
import { mediaPresignedArg } from './http/protocol/presigned-media.js'
import { mediaAsArg } from './http/protocol/request-parts.js'
import { resolveEndpoint, type EndpointRules } from './http/protocol/endpoint.js'
import { openaiBatchLimits } from './openai/chat-arguments.js'

const defaultBaseUrl = 'https://api.openai.com/v1'

const rules: EndpointRules = {
  backend: 'openai_responses',
  defaultBaseUrl,
  baseUrlVariables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
  keyVariables: ['OPENAI_API_KEY'],
  callSuffix: /\/responses$/,
  example: 'http://127.0.0.1:8000/v1',
}

/** Fields that `extra_body` must not set, because the pipeline sets them. */
const ownFields = ['model', 'input', 'stream', 'store', 'background', 'previous_response_id']

const shape = {
  model: modelArg,
  base_url: baseUrlArg(`else $OPENAI_BASE_URL, $OPENAI_API_BASE, ${defaultBaseUrl}`),
  model_version: modelVersionArg,
  api_key: apiKeyArg('else $OPENAI_API_KEY; a local server may need none'),
  detail: affectsOutput(z.enum(['auto', 'low', 'high']).default('auto').describe('how closely images are looked at')),
  reasoning_effort: affectsOutput(z.string().optional().describe('how long a reasoning model thinks')),
  reasoning_summary: affectsOutput(
    z.enum(['auto', 'concise', 'detailed']).optional().describe('asks for a summary of the thinking, kept apart'),
  ),
  media: mediaArg('original'),
  media_as: mediaAsArg,
  media_presigned: mediaPresignedArg,
  ...frameArgs,
  modalities: modalitiesArg,
  omit: omitArg,
  extra_body: extraBodyArg(ownFields),
  ...sendingArgs,
}

const conversion = ({ media }: { readonly media: MediaForm }): Conversion => ({ api: 'the Responses API', media })

const accepts: BackendDefinition['accepts'] = ['text', 'image', 'file']

/** OpenAI's Responses API, or any server that implements it. Images are sent as original bytes. The provider stores nothing. */
export const openaiResponses = defineBackend({
  id: 'openai_responses',
  summary: "OpenAI's Responses API",
  args: shape,
  accepts,
  acceptsWith: args => acceptedBy(args, accepts),
  requests: ['generate_until'],
  takesTools: true,
  code: {
    revision: { name: 'openai_responses', number: 1 },
    files: [
      'stages/model/backends/openai-responses.ts',
      'stages/model/backends/openai-responses/response-answer.ts',
      'stages/model/backends/openai-responses/response-request.ts',
      'stages/model/backends/openai-responses/responses-protocol.ts',
      ...conversionCode,
      ...frameCode,
      ...apiCode,
      ...mediaCode,
    ],
  },
  concurrency: 'adaptive',
  identify: async (args, { env }) => Promise.resolve(apiIdentity(rules, args, { args: shape, env })),
  open: async (args, context) => {
    const { responsesProtocol } = await import('./openai-responses/responses-protocol.js')
    const model = await openApi(args, context, {
      rules,
      protocol: endpoint => responsesProtocol({ endpoint, rules: args, accepts: acceptedBy(args, accepts) }),
    })
    const framedModel = await showingFrames(model, args, { ...context, whole: noWholeVideos })
    return convertingModel(framedModel, conversion(args), context)
  },
  batch: {
    most: openaiBatchLimits,
    requests: ['generate_until'],
    open: async (args, context) => {
      const { responsesProtocol } = await import('./openai-responses/responses-protocol.js')
      const { openaiBatchClient } = await import('./openai/batch-client.js')
      const endpoint = resolveEndpoint(rules, args, context.env)
      const protocol = responsesProtocol({ endpoint, rules: args, accepts: acceptedBy(args, accepts) })
      return openaiBatchClient({
        endpoint,
        protocol,
        context,
        call: '/v1/responses',
        timeoutMs: args.timeout * 1000,
        ...(await shownInBatches(args, context, convertedRequests(conversion(args), context))),
      })
    },
  },
})
