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
  acceptsWith: given => acceptedBy(given, accepts),
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
  async identify(given, context) {
    refuseMixed(given, context.env)
    if (given.launch) return launchedIdentity(given, context)
    const address = ollamaAddress(given, context.env)
    if (isCompatible(address)) return chat.identify(asChat(given, address), context)
    const baseUrl = shownBaseUrl(resolveEndpoint(rules, { ...given, base_url: address }, context.env))
    return addressedIdentity(id, given, { args: ollamaArgs, baseUrl, apiBaseUrl: '' })
  },
  startsProgram: ({ launch }) => launch,
  async ready({ launch, executable: [program = id] = [] }, { env }) {
    if (launch) await refuseMissingProgram(program, { name: id, hint: installHint, env })
  },
  async open(given, context) {
    if (given.launch) {
      const { serverStart } = await import('./ollama/server-start.js')
      const start = await serverStart(given, context, concurrency)
      return launchEngine(start, context, () => openOwn(given, start.origin, context))
    }
    const address = ollamaAddress(given, context.env)
    const toStart = given.base_url === undefined ? 'give launch=true' : 'give launch=true in place of base_url'
    await untilAttached(
      { id, healthPath },
      { baseUrl: address, toStart, seconds: given.startup_timeout, proxy: given.proxy },
      context,
    )
    return isCompatible(address) ? chat.open(asChat(given, address), context) : openOwn(given, address, context)
  },
})

const asChat = (given: OllamaArguments, baseUrl: string) =>
  ({ ...given, base_url: baseUrl, max_tokens_field: 'max_tokens', seed_field: 'seed', ...chatMedia(given) }) as const

const chatMedia = ({ media = 'original' }: OllamaArguments) =>
  ({ media, media_as: 'bytes', media_presigned: 'off', media_uuid: false, audio_in_video: 'none' }) as const

/** Identifies a model by its manifest, which names the digests of its parts. */
async function launchedIdentity(given: OllamaArguments, context: BackendContext): Promise<ModelIdentity> {
  const asked = outputArgs({ args: ollamaArgs }, { ...given, base_url: undefined })
  if (given.model_version !== undefined) return { backend: id, args: asked }
  const manifest = await findManifest(given.model, modelsFolder(given.models_dir, context.env))
  return { backend: id, args: without(asked, 'model'), files: { manifest: await context.fileDigest(manifest) } }
}

async function openOwn(given: OllamaArguments, baseUrl: string, context: BackendContext) {
  const { ollamaChat } = await import('./ollama/chat-protocol.js')
  const think = given.think ?? given.reasoning_effort
  const model = await openApi({ ...given, base_url: baseUrl }, context, {
    rules,
    protocol: endpoint => ollamaChat(endpoint, { ...given, think }, acceptedBy(given, accepts)),
  })
  const shown = await showingFrames(model, given, { ...context, whole: noWholeVideos })
  return convertingModel(shown, { api: 'ollama', media: given.media ?? 'converted' }, context)
}
