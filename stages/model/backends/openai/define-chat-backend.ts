import type { z } from 'zod'
import { present } from '../../../../base/values/present.js'
import type { ModelIdentity } from '../../../../cache/records.js'
import { type BackendContext, type BackendDefinition, defineBackend } from '../../define-backend.js'
import { MediaFiles } from '../../media-files.js'
import { acceptedBy, addressedIdentity, apiCode, mediaCode, openApi } from '../http/protocol/api-backend.js'
import { conversionCode } from '../conversion/conversion-arguments.js'
import { convertedRequests, convertingModel, type Conversion } from '../conversion/converted-requests.js'
import { checkAudioInVideo } from '../frames/audio-in-video.js'
import { frameCode } from '../frames/frame-arguments.js'
import { showingFrames, shownInBatches } from '../frames/showing-frames.js'
import { resolveEndpoint, shownBaseUrl, type EndpointRules } from '../http/protocol/endpoint.js'
import type { BatchClient } from '../../batch/batch-client.js'
import { openMediaUuids } from './media-uuids.js'
import { chatArgs, type ChatDialect, openaiBatchLimits } from './chat-arguments.js'

/** A provider of chat completions: its address, and how it differs from OpenAI. */
export interface ChatProvider {
  readonly aliases?: readonly string[]
  readonly summary: string
  readonly endpoint: Omit<EndpointRules, 'callSuffix'>
  readonly accepts: BackendDefinition['accepts']
  readonly seedField?: 'seed' | 'random_seed'
  readonly dialect?: ChatDialect
  /** True if the provider has OpenAI's Batch API, too. */
  readonly hasBatches?: boolean
}

export const openaiBaseUrl = 'https://api.openai.com/v1'
export const chatSuffix = /(\/chat)?\/completions$/

/** The code that can change an answer. It is the same for all providers, so that presets share answers. */
export const chatCode: BackendDefinition['code'] = {
  revision: { name: 'openai_chat', number: 1 },
  files: [
    'stages/model/backends/openai/chat-answer.ts',
    'stages/model/backends/openai/chat-arguments.ts',
    'stages/model/backends/openai/chat-completions.ts',
    'stages/model/backends/openai/chat-stream.ts',
    'stages/model/backends/openai/chat-tools.ts',
    'stages/model/backends/openai/media-uuids.ts',
    ...conversionCode,
    ...frameCode,
    ...apiCode,
    ...mediaCode,
  ],
}

/** Defines a backend of chat completions. A preset is `openai` with another address, so the same answers have the same keys. */
export function defineChatBackend({ endpoint: rules, seedField, dialect, hasBatches, ...provider }: ChatProvider) {
  const args = chatArgs({ ...describeDefaults(rules), ...present({ seedField, dialect }) })
  const endpoint = { ...rules, callSuffix: chatSuffix }
  return defineBackend({
    id: rules.backend,
    ...provider,
    args,
    acceptsWith: modelArgs => acceptedBy(modelArgs, provider.accepts),
    requests: ['generate_until'],
    takesTools: true,
    code: chatCode,
    concurrency: 'adaptive',
    identify: async (modelArgs, { env }) => {
      checkAudioInVideo(modelArgs, { backend: rules.backend, accepts: acceptedBy(modelArgs, provider.accepts) })
      return Promise.resolve(chatIdentity(modelArgs, shownBaseUrl(resolveEndpoint(endpoint, modelArgs, env))))
    },
    open: async (modelArgs, context) =>
      openChat(modelArgs, context, { rules: endpoint, accepts: acceptedBy(modelArgs, provider.accepts) }),
    ...(hasBatches === true && {
      batch: {
        most: openaiBatchLimits,
        requests: ['generate_until'] as const,
        open: (modelArgs: z.output<z.ZodObject<typeof args>>, context: BackendContext) =>
          openChatBatches(modelArgs, context, { rules: endpoint, accepts: acceptedBy(modelArgs, provider.accepts) }),
      },
    }),
  })
}

type ChatArguments = z.output<z.ZodObject<ReturnType<typeof chatArgs>>>

/** The defaults of `openai`. Arguments at these values are left out of the identity, whatever a preset's defaults are. */
const openaiArgs = chatArgs({ baseUrl: '', apiKey: '' })

const chatIdentity = (args: ChatArguments, baseUrl: string): ModelIdentity =>
  addressedIdentity('openai', args, { args: openaiArgs, baseUrl, apiBaseUrl: openaiBaseUrl })

/** The rule of conversion for chat servers: the formats of OpenAI. Engines take more, so that nothing is converted unless it is asked for. */
export const chatConversion = ({ media }: Pick<ChatArguments, 'media'>): Conversion => ({
  api: 'the chat server',
  media,
})

async function openChat(
  args: ChatArguments,
  context: BackendContext,
  { rules, accepts }: { readonly rules: EndpointRules; readonly accepts: BackendDefinition['accepts'] },
) {
  const { chatCompletions } = await import('./chat-completions.js')
  const files = new MediaFiles(context)
  const uuids = openMediaUuids(args.media_uuid, context)
  const extras = { mediaPath: files.find.bind(files), sendsUuids: uuids.isSent }
  const opened = await openApi(args, context, {
    rules,
    protocol: endpoint => chatCompletions({ endpoint, rules: { ...args, ...extras }, accepts }),
  })
  const model = uuids.wrap(opened)
  const framedModel = await showingFrames(args.media_as === 'file' ? files.keepDuring(model) : model, args, context)
  return convertingModel(framedModel, chatConversion(args), context)
}

async function openChatBatches(
  args: ChatArguments,
  context: BackendContext,
  { rules, accepts }: { readonly rules: EndpointRules; readonly accepts: BackendDefinition['accepts'] },
): Promise<BatchClient> {
  const { chatCompletions } = await import('./chat-completions.js')
  const { openaiBatchClient } = await import('./batch-client.js')
  const endpoint = resolveEndpoint(rules, args, context.env)
  return openaiBatchClient({
    endpoint,
    protocol: chatCompletions({ endpoint, rules: args, accepts }),
    context,
    call: '/v1/chat/completions',
    timeoutMs: args.timeout * 1000,
    ...(await shownInBatches(args, context, convertedRequests(chatConversion(args), context))),
  })
}

function describeDefaults({ baseUrlVariables, keyVariables, defaultBaseUrl }: ChatProvider['endpoint']) {
  const addresses = [
    ...baseUrlVariables.map(name => `$${name}`),
    ...(defaultBaseUrl === undefined ? [] : [defaultBaseUrl]),
  ]
  return {
    baseUrl: `else ${addresses.join(', ')}`,
    apiKey: `else ${keyVariables.map(name => `$${name}`).join(', ')}; a local server may need none`,
  }
}
