/** Uses models of the AI SDK as models of this library. Only the interface of a language model must be known here, not its provider. */
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { sniffMediaType } from '../../../base/media/media-type.js'
import type { ChatMessage, ContentPart, ResponseBody } from '../../../cache/records.js'
import { affectsOutput } from '../../../stages/model/backend-args.js'
import { defineBackend, type BackendContext } from '../../../stages/model/define-backend.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../../stages/model/model.js'
import { modelBrand, type ModelValue } from './values.js'

/** The part of an AI SDK language model that this library uses, in the specifications v2 to v4. */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  /** Parameters differ between specifications, so only their common part is passed. */
  readonly doGenerate: (options: never) => PromiseLike<unknown>
}

const specifications: readonly string[] = ['v2', 'v3', 'v4']

const count = z.number().nullish()
/** In v2 a total is a number; since v3 it is an object. */
const tokens = z.union([count, z.object({ total: count })])

const generated = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  finishReason: z.union([z.string(), z.object({ unified: z.string() }).transform(({ unified }) => unified)]),
  usage: z.object({ inputTokens: tokens, outputTokens: tokens }).optional(),
})

const finishReasons: Readonly<Record<string, ResponseBody['finishReason']>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
}

/**
 * Makes a model from an AI SDK model, such as `openai('gpt-4o')` of `@ai-sdk/openai`. It answers with text. `provider` and `modelId` identify it in
 * keys.
 *
 * @param options.version of the provider's settings and package; change it when they can change an answer. @default '1'
 */
export function fromAiSdk(model: AiSdkModel, { version = '1' }: { readonly version?: string } = {}): ModelValue {
  if (!specifications.includes(model.specificationVersion))
    throw new PipelineError(
      'usage',
      `fromAiSdk: ${model.modelId} has specification ${model.specificationVersion}, and ${specifications.join(', ')} are supported. Install a version of the provider that has one of them`,
    )
  const name = z.string()
  return {
    [modelBrand]: true,
    kind: 'model',
    backend: defineBackend({
      id: 'ai_sdk',
      summary: 'a model of the AI SDK',
      args: { provider: affectsOutput(name), model: affectsOutput(name) },
      accepts: ['text', 'image', 'audio', 'video', 'file'],
      open: (_, context) => ({ answer: (request, signal) => ask(model, { request, signal, context }) }),
    }),
    args: { provider: model.provider, model: model.modelId },
    code: { version: `ai-sdk ${version}` },
  }
}

async function ask(
  model: AiSdkModel,
  {
    request,
    signal,
    context,
  }: { readonly request: ModelRequest; readonly signal: AbortSignal; readonly context: BackendContext },
): Promise<ModelAnswer> {
  const promptContext = { version: model.specificationVersion, context }
  const { max_new_tokens, temperature, do_sample, top_p, top_k, seed, until } = request.generation
  const options = {
    prompt: await Promise.all(request.input.messages.map(message => promptMessage(message, promptContext))),
    abortSignal: signal,
    maxOutputTokens: max_new_tokens,
    temperature: do_sample === false ? 0 : temperature,
    topP: top_p,
    topK: top_k,
    seed,
    stopSequences: until === undefined || until.length === 0 ? undefined : until,
  }
  const result = await Promise.resolve(model.doGenerate(options as never)).catch(refuse)
  const { content, finishReason, usage } = generated.parse(result)
  const joinParts = (type: string): string =>
    content.flatMap(part => (part.type === type ? [part.text ?? ''] : [])).join('')
  const reasoning = joinParts('reasoning')
  return {
    body: {
      text: joinParts('text'),
      finishReason: finishReasons[finishReason] ?? 'unknown',
      // The AI SDK uses `unknown` if the provider named no reason.
      ...(finishReason in finishReasons || finishReason === 'unknown' ? {} : { rawFinishReason: finishReason }),
      ...(reasoning !== '' && { reasoning }),
    },
    usage: usage && { inputTokens: total(usage.inputTokens), outputTokens: total(usage.outputTokens) },
  }
}

const total = (value: z.output<typeof tokens>): number | undefined =>
  (typeof value === 'object' ? value?.total : value) ?? undefined

interface PromptContext {
  readonly version: string
  readonly context: BackendContext
}

async function promptMessage({ role, content }: ChatMessage, promptContext: PromptContext): Promise<object> {
  if (role === 'system')
    return { role, content: content.map(part => (part.type === 'text' ? part.text : '')).join('\n') }
  return { role, content: await Promise.all(content.map(part => promptPart(part, promptContext))) }
}

async function promptPart(part: ContentPart, { version, context }: PromptContext): Promise<object> {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.derive !== undefined)
    throw new AttemptError(
      'invalid_request',
      'models of the AI SDK are shown media as they are, without clips or frames',
      {
        isRetryable: false,
      },
    )
  const data = await context.readMedia(part.media)
  const file = version === 'v4' ? { type: 'data', data } : data
  return { type: 'file', data: file, mediaType: sniffMediaType(data)?.mime ?? 'application/octet-stream' }
}

/** Turns errors of the AI SDK into failures. `isRetryable` says whether the call may succeed later, and `statusCode` what the server answered. */
function refuse(error: unknown): never {
  const { isRetryable, statusCode, message } = z
    .object({
      isRetryable: z.boolean().catch(false),
      statusCode: z.number().optional().catch(undefined),
      message: z.string().catch('failed'),
    })
    .catch({ isRetryable: false, statusCode: undefined, message: String(error) })
    .parse(error)
  if (statusCode === undefined && !isRetryable) throw error
  const failure = statusCode === 429 ? 'rate_limited' : isRetryable ? 'server' : 'invalid_request'
  throw new AttemptError(failure, message, {
    isRetryable,
    ...((statusCode === 401 || statusCode === 403) && { access: { about: 'key', said: message } }),
    cause: error,
  })
}
