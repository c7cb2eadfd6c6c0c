import { z } from 'zod'
import { type BackendDefinition, defineBackend } from '../define-backend.js'
import { affectsOutput, transport } from '../backend-args.js'
import {
  apiCode,
  mediaCode,
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
  statedModalities,
} from './http/protocol/api-backend.js'
import { resolveEndpoint, type EndpointRules } from './http/protocol/endpoint.js'
import { conversionCode, mediaArg } from './conversion/conversion-arguments.js'
import { convertingModel } from './conversion/converted-requests.js'
import { mediaPresignedArg } from './http/protocol/presigned-media.js'
import { mediaAsArg } from './http/protocol/request-parts.js'

const defaultBaseUrl = 'https://generativelanguage.googleapis.com'

const rules: EndpointRules = {
  backend: 'gemini',
  defaultBaseUrl,
  baseUrlVariables: ['GOOGLE_GEMINI_BASE_URL'],
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  // The version is a separate argument.
  callSuffix: /(\/v1(alpha|beta)?)?(\/models)?$/,
  example: defaultBaseUrl,
}

/** Fields that `extra_body` must not set, because the pipeline sets them. */
const ownFields = ['contents', 'system_instruction', 'systemInstruction', 'generationConfig', 'generation_config']

const shape = {
  model: modelArg,
  base_url: baseUrlArg(`else $GOOGLE_GEMINI_BASE_URL, ${defaultBaseUrl}`),
  model_version: modelVersionArg,
  api_key: apiKeyArg('else $GEMINI_API_KEY, $GOOGLE_API_KEY'),
  api_version: affectsOutput(z.enum(['v1beta', 'v1', 'v1alpha']).default('v1beta').describe('of the API')),
  thinking_budget: affectsOutput(
    z.number().int().min(-1).optional().describe('the most tokens of thinking; 0 for none, -1 for as many as it likes'),
  ),
  thinking_level: affectsOutput(z.string().min(1).optional().describe('how much newer models think: low, high')),
  include_thoughts: affectsOutput(
    z.boolean().default(false).describe('asks for a summary of the thinking, kept apart from the answer'),
  ),
  safety_threshold: affectsOutput(
    z
      .enum(['OFF', 'BLOCK_NONE', 'BLOCK_ONLY_HIGH', 'BLOCK_MEDIUM_AND_ABOVE', 'BLOCK_LOW_AND_ABOVE'])
      .optional()
      .describe("what is blocked, for all kinds of harm; else the provider's own"),
  ),
  media_resolution: affectsOutput(
    z.enum(['low', 'medium', 'high']).optional().describe('how closely images and videos are looked at'),
  ),
  media: mediaArg('converted'),
  media_as: mediaAsArg,
  media_presigned: mediaPresignedArg,
  modalities: modalitiesArg,
  max_inline_mb: transport(
    z
      .number()
      .min(0)
      .max(100)
      .default(20)
      .describe('megabytes of media in one request; of what would be more the largest are uploaded first'),
  ),
  omit: omitArg,
  extra_body: extraBodyArg(ownFields),
  ...sendingArgs,
}

const accepts: BackendDefinition['accepts'] = ['text', 'image', 'audio', 'video', 'file']

/** Google's Gemini through `generateContent`. Media are sent as their original bytes. */
export const gemini = defineBackend({
  id: 'gemini',
  aliases: ['gemini_api'],
  summary: "Google's Gemini, by the Gemini API",
  args: shape,
  accepts,
  acceptsWith: args => statedModalities(args, accepts),
  requests: ['generate_until'],
  takesTools: true,
  code: {
    revision: { name: 'gemini', number: 1 },
    files: [
      'stages/model/backends/gemini.ts',
      'stages/model/backends/gemini/content-answer.ts',
      'stages/model/backends/gemini/content-request.ts',
      'stages/model/backends/gemini/generate-content.ts',
      'stages/model/backends/gemini/large-media.ts',
      ...conversionCode,
      ...apiCode,
      ...mediaCode,
    ],
  },
  concurrency: 'adaptive',
  identify: async (args, { env }) => Promise.resolve(apiIdentity(rules, args, { args: shape, env })),
  open: async (args, context) => {
    const { generateContent } = await import('./gemini/generate-content.js')
    const model = await openApi(args, context, {
      rules,
      protocol: endpoint => generateContent({ endpoint, rules: args, accepts: statedModalities(args, accepts) }),
    })
    const { uploadingModel } = await import('./gemini/large-media.js')
    const uploading = uploadingModel(model, args, { endpoint: resolveEndpoint(rules, args, context.env), context })
    return convertingModel(uploading, { api: 'gemini', media: args.media }, context)
  },
})
