import { z } from 'zod'
import { affectsOutput, transport, type Modality } from '../../define-backend.js'
import {
  apiKeyArg,
  baseUrlArg,
  extraBodyArg,
  modelArg,
  modelVersionArg,
  omitArg,
  sendingArgs,
} from '../http/api-arguments.js'
import { frameArgs, frameFormat } from '../frames/frame-arguments.js'

/** Fields of a request that `extra_body` must not set: they are the pipeline's own. */
const ownFields = ['model', 'messages', 'stream', 'n']

/** What a provider's arguments say where they differ from another's. */
export interface ChatArgumentTexts {
  readonly baseUrl: string
  readonly apiKey: string
  readonly seedField?: 'seed' | 'random_seed'
}

const modality = z.enum(['text', 'image', 'audio', 'video'])
const modalitiesArg = transport(
  z
    .preprocess(value => (typeof value === 'string' ? value.split(/[+|]/) : value), z.array(modality))
    .optional()
    .describe('what the model takes, where that is less or more than usual: text+image')
    .meta({ typeName: 'list' }),
)

type ModalityArguments = Parameters<typeof frameFormat>[0] & { readonly modalities?: readonly Modality[] | undefined }

/** What a model takes by its arguments: text always, and videos where they are sent as pictures. */
export function acceptedBy(args: ModalityArguments, usual: readonly Modality[]): readonly Modality[] {
  const own = args.modalities === undefined ? usual : ['text' as const, ...args.modalities]
  const framed = frameFormat(args) !== undefined && own.includes('image') ? (['video'] as const) : []
  return [...new Set<Modality>([...own, ...framed])]
}

/** The arguments of every backend that speaks chat completions. */
export const chatArgs = ({ baseUrl, apiKey, seedField = 'seed' }: ChatArgumentTexts) => ({
  model: modelArg,
  base_url: baseUrlArg(baseUrl),
  model_version: modelVersionArg,
  api_key: apiKeyArg(apiKey),
  detail: affectsOutput(z.enum(['auto', 'low', 'high']).optional().describe('how closely images are looked at')),
  reasoning_effort: affectsOutput(z.string().optional().describe('how long a reasoning model thinks')),
  max_tokens_field: affectsOutput(
    z
      .enum(['max_tokens', 'max_completion_tokens'])
      .default('max_tokens')
      .describe('what the server calls max_new_tokens; reasoning models of OpenAI want the second'),
  ),
  seed_field: affectsOutput(
    z.enum(['seed', 'random_seed']).default(seedField).describe('what the server calls a seed'),
  ),
  media_as: affectsOutput(
    z
      .enum(['bytes', 'url', 'file'])
      .default('bytes')
      .describe(
        'how images and videos are sent; url: by the address that the data have, if any; file: as file://, to a server on this machine',
      ),
  ),
  ...frameArgs,
  modalities: modalitiesArg,
  omit: omitArg,
  extra_body: extraBodyArg(ownFields),
  ...sendingArgs,
})
