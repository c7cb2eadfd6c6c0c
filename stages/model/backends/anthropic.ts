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
import { sendsTemperature, versionFor } from './anthropic/message-request.js'

const defaultBaseUrl = 'https://api.anthropic.com'

const rules: EndpointRules = {
  backend: 'anthropic',
  defaultBaseUrl,
  baseUrlVariables: ['ANTHROPIC_BASE_URL'],
  keyVariables: ['ANTHROPIC_API_KEY'],
  // The address may be given with or without the version.
  callSuffix: /(\/v1)?(\/messages)?$/,
  example: defaultBaseUrl,
}

/** Fields that `extra_body` must not set, because the pipeline sets them. */
const ownFields = ['model', 'messages', 'system', 'stream']

const shape = {
  model: modelArg,
  base_url: baseUrlArg(`else $ANTHROPIC_BASE_URL, ${defaultBaseUrl}`),
  model_version: modelVersionArg,
  api_key: apiKeyArg('else $ANTHROPIC_API_KEY'),
  anthropic_version: affectsOutput(
    z
      .string()
      .min(1)
      .optional()
      .describe('API version, sent as a header; by default the newest that the model works with as it is asked'),
  ),
  anthropic_beta: affectsOutput(z.array(z.string()).default([]).describe('beta features, sent as a header')),
  max_tokens: affectsOutput(
    z
      .number()
      .int()
      .min(1)
      .default(4096)
      .describe('of an answer where the task sets no max_new_tokens: the API wants a limit'),
  ),
  thinking: affectsOutput(
    z
      .union([z.literal('adaptive'), z.number().int().min(1024)])
      .optional()
      .describe('adaptive, or the most tokens of thinking, which are added to the limit of the answer'),
  ),
  media: mediaArg('converted'),
  media_as: mediaAsArg,
  media_presigned: mediaPresignedArg,
  ...frameArgs,
  modalities: modalitiesArg,
  omit: omitArg,
  extra_body: extraBodyArg(ownFields),
  ...sendingArgs,
}

const accepts: BackendDefinition['accepts'] = ['text', 'image', 'file']

const conversion = ({ media }: { readonly media: MediaForm }): Conversion => ({ api: 'anthropic', media })

const makeMessageRules = <A extends { readonly model: string; readonly anthropic_version?: string | undefined }>(
  args: A,
) => ({
  ...args,
  anthropic_version: versionFor(args),
})

/** Claude through Anthropic's Messages API, or any server that implements it. Images are sent as their original bytes. */
export const anthropic = defineBackend({
  id: 'anthropic',
  aliases: ['claude'],
  summary: "Claude, by Anthropic's Messages API",
  args: shape,
  accepts,
  acceptsWith: args => acceptedBy(args, accepts),
  requests: ['generate_until'],
  takesTools: true,
  code: {
    revision: { name: 'anthropic', number: 1 },
    files: [
      'stages/model/backends/anthropic.ts',
      'stages/model/backends/anthropic/message-request.ts',
      'stages/model/backends/anthropic/message-answer.ts',
      'stages/model/backends/anthropic/message-stream.ts',
      'stages/model/backends/anthropic/messages-protocol.ts',
      ...conversionCode,
      ...frameCode,
      ...apiCode,
      ...mediaCode,
    ],
  },
  concurrency: 'adaptive',
  samples: args => args.thinking !== undefined || !sendsTemperature(args),
  identify: async (args, { env }) => Promise.resolve(apiIdentity(rules, args, { args: shape, env })),
  open: async (args, context) => {
    const { messagesProtocol } = await import('./anthropic/messages-protocol.js')
    const { continuingTurns } = await import('./anthropic/messages-protocol.js')
    const model = await openApi(args, context, {
      rules,
      protocol: endpoint =>
        messagesProtocol({ endpoint, rules: makeMessageRules(args), accepts: acceptedBy(args, accepts) }),
    })
    const framedModel = await showingFrames(continuingTurns(model), args, { ...context, whole: noWholeVideos })
    return convertingModel(framedModel, conversion(args), context)
  },
  batch: {
    // See https://docs.anthropic.com/en/docs/build-with-claude/batch-processing
    most: { requests: 100_000, bytes: 256_000_000 },
    requests: ['generate_until'],
    open: async (args, context) => {
      const { messagesProtocol } = await import('./anthropic/messages-protocol.js')
      const { anthropicBatchClient } = await import('./anthropic/batch-client.js')
      const endpoint = resolveEndpoint(rules, args, context.env)
      const protocol = messagesProtocol({ endpoint, rules: makeMessageRules(args), accepts: acceptedBy(args, accepts) })
      return anthropicBatchClient({
        endpoint,
        protocol,
        context,
        timeoutMs: args.timeout * 1000,
        ...(await shownInBatches(args, context, convertedRequests(conversion(args), context))),
      })
    },
  },
})
