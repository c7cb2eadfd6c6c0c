import { z } from 'zod'
import { affectsOutput, transport } from '../../backend-args.js'
import { mediaArg } from '../conversion/conversion-arguments.js'
import { audioInVideoArg } from '../frames/audio-in-video.js'
import { frameArgs } from '../frames/frame-arguments.js'
import {
  apiKeyArg,
  baseUrlArg,
  extraBodyArg,
  modalitiesArg,
  modelArg,
  modelVersionArg,
  omitArg,
  sendingArgs,
} from '../http/protocol/api-backend.js'
import { mediaPresignedArg } from '../http/protocol/presigned-media.js'

/** Fields that `extra_body` must not set, because the pipeline sets them. */
const ownFields = ['model', 'messages', 'stream', 'n']

/** The form of the fields that the protocol leaves to providers. `openai` is the protocol's own form. */
export type ChatDialect = 'openai' | 'openrouter' | 'mistral'

/** The texts of a provider's arguments that differ from those of others. */
interface ChatArgumentTexts {
  readonly baseUrl: string
  readonly apiKey: string
  readonly seedField?: 'seed' | 'random_seed'
  readonly dialect?: ChatDialect
}

/** Declares the arguments of every backend with chat completions. */
export const chatArgs = ({ baseUrl, apiKey, seedField = 'seed', dialect = 'openai' }: ChatArgumentTexts) => ({
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
  dialect: affectsOutput(
    z
      .enum(['openai', 'openrouter', 'mistral'])
      .default(dialect)
      .describe('whose forms are sent; openrouter: nested reasoning.effort; mistral: its own audio and document parts'),
  ),
  media: mediaArg('original'),
  media_as: affectsOutput(
    z
      .enum(['bytes', 'url', 'file'])
      .default('bytes')
      .describe(
        'how images and videos are sent; url: by the address that the data have, if any; file: as file://, to a server on this machine',
      ),
  ),
  media_presigned: mediaPresignedArg,
  media_uuid: transport(
    z
      .boolean()
      .default(false)
      .describe('name media by their digests, so that vLLM computes each once; left out if the server rejects it'),
  ),
  ...frameArgs,
  audio_in_video: audioInVideoArg,
  modalities: modalitiesArg,
  omit: omitArg,
  extra_body: extraBodyArg(ownFields),
  ...sendingArgs,
})

/** OpenAI's maximum size of one batch. See https://platform.openai.com/docs/guides/batch */
export const openaiBatchLimits = { requests: 50_000, bytes: 200_000_000 } as const
