import { z } from 'zod'
import { affectsOutput, defineBackend, transport } from '../define-backend.js'
import { outputArgs } from '../model-args.js'
import { defaultBaseUrl, endpointOf, shownBaseUrl } from './openai/endpoint.js'

/** Fields of a request that `extra_body` must not set: they are the pipeline's own. */
const ownFields = ['model', 'messages', 'stream', 'n']

const shape = {
  model: affectsOutput(z.string().min(1).describe('the name that the server knows it by')),
  base_url: affectsOutput(
    z
      .string()
      .optional()
      .describe(
        `where the API begins; else $OPENAI_BASE_URL, $OPENAI_API_BASE, ${defaultBaseUrl}. Part of keys unless model_version is given`,
      ),
  ),
  model_version: affectsOutput(
    z.string().min(1).optional().describe('names what answers, so that answers hold whatever address it is reached by'),
  ),
  api_key: transport(z.string().optional().describe('else $OPENAI_API_KEY; a local server may need none')),
  detail: affectsOutput(z.enum(['auto', 'low', 'high']).optional().describe('how closely images are looked at')),
  reasoning_effort: affectsOutput(z.string().optional().describe('how long a reasoning model thinks')),
  max_tokens_field: affectsOutput(
    z
      .enum(['max_tokens', 'max_completion_tokens'])
      .default('max_tokens')
      .describe('what the server calls max_new_tokens; reasoning models of OpenAI want the second'),
  ),
  omit: affectsOutput(
    z.array(z.string()).default([]).describe('fields never sent, such as temperature to a model that refuses it'),
  ),
  extra_body: affectsOutput(
    z
      .record(
        z.string().refine(name => !ownFields.includes(name), { error: `must not set ${ownFields.join(', ')}` }),
        z.json(),
      )
      .default({})
      .describe('further fields of each request, as JSON'),
  ),
  timeout: transport(z.number().positive().max(86_400).default(600).describe('seconds for one attempt')),
  num_concurrent: transport(z.number().int().min(1).optional().describe('requests under way at once (default 16)')),
  concurrency: transport(z.number().int().min(1).optional().describe('the same')),
  max_retries: transport(
    z.number().int().min(0).optional().describe('further attempts after a failed one (default 5)'),
  ),
}

/** Any server that speaks the OpenAI chat completions protocol. Images are sent as their original bytes. */
export const openai = defineBackend({
  id: 'openai',
  aliases: ['async_openai', 'openai_compatible'],
  summary: 'any server that speaks the OpenAI chat completions protocol',
  args: shape,
  accepts: ['text', 'image', 'audio'],
  requests: ['generate_until'],
  code: {
    files: [
      'stages/model/backends/openai.ts',
      'stages/model/backends/openai/body.ts',
      'stages/model/backends/openai/chat-answer.ts',
      'stages/model/backends/openai/chat-request.ts',
      'base/media-type.ts',
    ],
  },
  concurrency: 16,
  identify: async (args, context) => {
    const baseUrl = shownBaseUrl(endpointOf(args, context.env))
    const isNamed = args.model_version !== undefined || baseUrl === defaultBaseUrl
    const named = { ...args, base_url: isNamed ? undefined : baseUrl }
    return Promise.resolve({ backend: 'openai', args: outputArgs({ args: shape }, named) })
  },
  open: async (args, context) => {
    // An identity is asked for without a request to come; undici is loaded only for requests.
    const { openClient } = await import('./openai/client.js')
    const endpoint = endpointOf(args, context.env)
    return openClient({ endpoint, rules: args, timeoutMs: args.timeout * 1000, context })
  },
})
