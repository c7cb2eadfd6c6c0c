import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { without } from '../../../base/values/without.js'
import { type BackendDefinition, defineBackend } from '../define-backend.js'
import { affectsOutput, outputArgs } from '../backend-args.js'
import { acceptedBy, readSending } from './http/protocol/api-backend.js'
import { type Endpoint, resolveEndpoint, type EndpointRules, firstSet, shownBaseUrl } from './http/protocol/endpoint.js'
import type { Env } from './http/wire/proxy.js'
import { convertingModel } from './conversion/converted-requests.js'
import { checkAudioInVideo } from './frames/audio-in-video.js'
import { showingFrames } from './frames/showing-frames.js'
import { chatArgs } from './openai/chat-arguments.js'
import { chatCode, chatConversion, chatSuffix } from './openai/define-chat-backend.js'

const versionVariables = ['AZURE_OPENAI_API_VERSION', 'OPENAI_API_VERSION']

const rules: EndpointRules = {
  backend: 'azure_openai',
  baseUrlVariables: ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_API_BASE'],
  keyVariables: ['AZURE_OPENAI_API_KEY'],
  alwaysNeedsKey: true,
  callSuffix: chatSuffix,
  example: 'https://RESOURCE.openai.azure.com',
}

const shape = {
  ...without(
    chatArgs({
      baseUrl: 'the resource, else $AZURE_OPENAI_ENDPOINT, $AZURE_OPENAI_API_BASE',
      apiKey: 'else $AZURE_OPENAI_API_KEY',
    }),
    'media_uuid',
  ),
  deployment: affectsOutput(
    z.string().min(1).optional().describe('the name of the deployment, where it is not the model’s'),
  ),
  api_version: affectsOutput(
    z
      .string()
      .min(1)
      .optional()
      .describe(`of the API, such as 2024-10-21; else ${versionVariables.map(name => `$${name}`).join(', ')}`),
  ),
}

type Args = z.output<z.ZodObject<typeof shape>>
const accepts: BackendDefinition['accepts'] = ['text', 'image', 'audio']

/** OpenAI's models on Azure: by resource, deployment and API version, or by the newer address that ends in `/openai/v1`. */
export const azureOpenai = defineBackend({
  id: 'azure_openai',
  summary: 'OpenAI models on Azure, by deployment',
  args: shape,
  accepts,
  acceptsWith: args => acceptedBy(args, accepts),
  requests: ['generate_until'],
  takesTools: true,
  code: chatCode,
  concurrency: 'adaptive',
  identify: async (args, { env }) => {
    checkAudioInVideo(args, { backend: rules.backend, accepts: acceptedBy(args, accepts) })
    const { endpoint, model, apiVersion } = resolveDeployment(args, env)
    const isNamed = args.model_version !== undefined
    const namedArgs = {
      ...args,
      model,
      base_url: isNamed ? undefined : shownBaseUrl(endpoint),
      // The deployment is part of the model's name or of the address.
      deployment: undefined,
      api_version: apiVersion,
    }
    return Promise.resolve({ backend: 'openai', args: outputArgs({ args: shape }, namedArgs) })
  },
  open: async (args, context) => {
    const { openClient } = await import('./http/protocol/client.js')
    const { chatCompletions } = await import('./openai/chat-completions.js')
    const { endpoint, model, apiVersion } = resolveDeployment(args, context.env)
    const protocol = chatCompletions({
      endpoint,
      rules: { ...args, model },
      accepts: acceptedBy(args, accepts),
      apiVersion,
      keyHeader: 'api-key',
    })
    const client = openClient({ endpoint, protocol, sending: readSending(args), context })
    return convertingModel(await showingFrames(client, args, context), chatConversion(args), context)
  },
})

/** @throws PipelineError if the resource, the key or the API version is missing */
function resolveDeployment(
  args: Args,
  env: Env,
): { endpoint: Endpoint; model: string; apiVersion: string | undefined } {
  const { endpoint: ownEndpoint, version } = withoutVersion(resolveEndpoint(rules, args, env))
  if (version !== undefined && args.api_version !== undefined && version !== args.api_version) {
    throw new PipelineError(
      'config',
      `azure_openai: base_url says api-version=${version}, and api_version is ${args.api_version}. Leave one of them out.`,
    )
  }
  const ownVersion = args.api_version ?? version
  const apiVersion = firstSet(ownVersion, ...versionVariables.map(name => env[name]))
  const name = args.deployment ?? args.model
  if (/\/openai\/v1$/.test(ownEndpoint.path)) return { endpoint: ownEndpoint, model: name, apiVersion: ownVersion }
  if (apiVersion === undefined) {
    throw new PipelineError(
      'config',
      `azure_openai: give api_version=… such as 2024-10-21, or set ${versionVariables[0]}. An address that ends in /openai/v1 needs none.`,
    )
  }
  if (/\/(openai\/deployments\/[^/]+|models)$/.test(ownEndpoint.path))
    return { endpoint: ownEndpoint, model: args.model, apiVersion }
  const path = `${ownEndpoint.path.replace(/\/openai$/, '')}/openai/deployments/${encodeURIComponent(name)}`
  return { endpoint: { ...ownEndpoint, path }, model: args.model, apiVersion }
}

const versionName = 'api-version'

/** Splits an address that was copied from the portal, whose query holds the API version. */
function withoutVersion(endpoint: Endpoint): { readonly endpoint: Endpoint; readonly version: string | undefined } {
  const parameters = new URLSearchParams(endpoint.query)
  const version = firstSet(parameters.get(versionName) ?? undefined)
  parameters.delete(versionName)
  return { endpoint: { ...endpoint, query: parameters.size === 0 ? undefined : String(parameters) }, version }
}
