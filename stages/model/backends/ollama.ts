import { without } from '../../../base/values/without.js'
import type { ModelIdentity } from '../../../cache/records.js'
import { type BackendContext, type BackendDefinition, defineBackend } from '../define-backend.js'
import { outputArgs } from '../backend-args.js'
import { untilAttached } from './engines/health.js'
import { launchEngine } from './engines/launch-engine.js'
import { refuseMissingProgram } from './engines/launchable.js'
import { acceptedBy, addressedIdentity, openApi } from './http/protocol/api-backend.js'
import { resolveEndpoint, shownBaseUrl, type EndpointRules } from './http/protocol/endpoint.js'
import {
  installHint,
  isCompatible,
  findManifest,
  modelsFolder,
  ollamaAddress,
  ollamaArgs,
  type OllamaArguments,
  refuseMixed,
  defaultAddress,
} from './ollama/arguments.js'
import { convertingModel } from './conversion/converted-requests.js'
import { showingFrames, noWholeVideos } from './frames/showing-frames.js'
import { chatCode, defineChatBackend } from './openai/define-chat-backend.js'

const id = 'ollama'
const healthPath = '/api/version'
const concurrency = 4
const accepts: BackendDefinition['accepts'] = ['text', 'image']

const rules: EndpointRules = {
  backend: id,
  baseUrlVariables: [],
  keyVariables: ['OLLAMA_API_KEY'],
  callSuffix: /\/api(\/chat)?$/,
  example: defaultAddress,
}

const chat = defineChatBackend({ summary: id, endpoint: rules, accepts })

/**
 * Ollama, running or started for the run. An address that ends in `/v1` uses its OpenAI-compatible API. The identity is
 * then made as for `openai`.
 */
export const ollama = defineBackend({
  id,
  aliases: ['ollama_chat'],
  summary: 'Ollama: a server that runs, or one that is started for the run',
  args: ollamaArgs,
  accepts,
  acceptsWith: args => acceptedBy(args, accepts),
  requests: ['generate_until'],
  takesTools: true,
  code: {
    revision: { name: 'ollama', number: 1 },
    files: [
      ...chatCode.files,
      'stages/model/backends/ollama.ts',
      'stages/model/backends/ollama/arguments.ts',
      'stages/model/backends/ollama/chat-answer.ts',
      'stages/model/backends/ollama/chat-protocol.ts',
      'stages/model/backends/ollama/chat-request.ts',
    ],
  },
  concurrency,
  async identify(args, context) {
    refuseMixed(args, context.env)
    if (args.launch) return launchedIdentity(args, context)
    const address = ollamaAddress(args, context.env)
    if (isCompatible(address)) return chat.identify(asChat(args, address), context)
    const baseUrl = shownBaseUrl(resolveEndpoint(rules, { ...args, base_url: address }, context.env))
    return addressedIdentity(id, args, { args: ollamaArgs, baseUrl, apiBaseUrl: '' })
  },
  startsProgram: args => isStarted(args),
  async ready({ executable: [program = id] = [], ...args }, { env }) {
    if (isStarted(args)) await refuseMissingProgram(program, { name: id, hint: installHint, env })
  },
  async open(args, context) {
    if (isStarted(args)) {
      const { serverStart } = await import('./ollama/server-start.js')
      const start = await serverStart(args, context, concurrency)
      return launchEngine(start, context, () => openOwn(args, start.origin, context))
    }
    const address = ollamaAddress(args, context.env)
    const toStart = args.base_url === undefined ? 'give launch=true' : 'give launch=true in place of base_url'
    await untilAttached(
      { id, healthPath },
      { baseUrl: address, toStart, seconds: args.startup_timeout, proxy: args.proxy },
      context,
    )
    return isCompatible(address) ? chat.open(asChat(args, address), context) : openOwn(args, address, context)
  },
})

/** A worker may have an engine of its own for a job that starts one elsewhere. */
const isStarted = ({ launch, base_url: baseUrl }: Pick<OllamaArguments, 'launch' | 'base_url'>): boolean =>
  launch && baseUrl === undefined

const asChat = (args: OllamaArguments, baseUrl: string) =>
  ({ ...args, base_url: baseUrl, max_tokens_field: 'max_tokens', seed_field: 'seed', ...chatMedia(args) }) as const

const chatMedia = ({ media = 'original' }: OllamaArguments) =>
  ({ media, media_as: 'bytes', media_presigned: 'off', media_uuid: false, audio_in_video: 'none' }) as const

/** Identifies a model by its manifest, which names the digests of its parts. */
async function launchedIdentity(args: OllamaArguments, context: BackendContext): Promise<ModelIdentity> {
  const identityArgs = outputArgs({ args: ollamaArgs }, { ...args, base_url: undefined })
  if (args.model_version !== undefined) return { backend: id, args: identityArgs }
  const manifest = await findManifest(args.model, modelsFolder(args.models_dir, context.env))
  return { backend: id, args: without(identityArgs, 'model'), files: { manifest: await context.fileDigest(manifest) } }
}

async function openOwn(args: OllamaArguments, baseUrl: string, context: BackendContext) {
  const { ollamaChat } = await import('./ollama/chat-protocol.js')
  const think = args.think ?? args.reasoning_effort
  const model = await openApi({ ...args, base_url: baseUrl }, context, {
    rules,
    protocol: endpoint => ollamaChat(endpoint, { ...args, think }, acceptedBy(args, accepts)),
  })
  const framedModel = await showingFrames(model, args, { ...context, whole: noWholeVideos })
  return convertingModel(framedModel, { api: 'ollama', media: args.media ?? 'converted' }, context)
}
