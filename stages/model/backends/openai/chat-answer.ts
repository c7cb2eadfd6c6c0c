import { z } from 'zod'
import type { ResponseBody, Usage } from '../../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../../model.js'
import { decodeMedium, readDataAddress } from '../http/protocol/answer-media.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import {
  field,
  makeMalformedError,
  parseJson,
  type ReceivedAnswer,
  makeRefusalError,
  shownText,
} from '../http/protocol/failure.js'
import { cutAtStop, tokenCount } from '../http/protocol/request-parts.js'
import { readToolCalls } from './chat-tools.js'
import { answerFailure, findBareError, readErrorStatus } from './failure.js'

const textPart = z.object({ text: z.string().nullish() })
/** Mistral's reasoning models return their thoughts as parts of the content. */
const contentPart = textPart.extend({
  thinking: z.array(textPart).nullish(),
  image_url: z.object({ url: z.string() }).nullish(),
})

/** The fields of a chat completion that are read. Servers differ in all others. */
const completion = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      // Filtered answers have none.
      message: z
        .object({
          content: z.union([z.string(), z.array(contentPart)]).nullish(),
          refusal: z.string().nullish(),
          audio: z.object({ data: z.string(), transcript: z.string().nullish() }).nullish(),
          // OpenRouter and LiteLLM put pictures here, vLLM into the content.
          images: z.array(z.object({ image_url: z.object({ url: z.string() }) })).nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          reasoning_details: z.array(z.unknown()).nullish(),
          tool_calls: z.array(z.unknown()).nullish(),
        })
        .nullish(),
    }),
  ),
  usage: z
    .object({
      prompt_tokens: tokenCount,
      completion_tokens: tokenCount,
      total_tokens: tokenCount,
      prompt_tokens_details: z.object({ cached_tokens: tokenCount, audio_tokens: tokenCount }).nullish(),
      // DeepSeek's name for cached tokens.
      prompt_cache_hit_tokens: tokenCount,
      completion_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish(),
    })
    .nullish(),
})

type Completion = z.output<typeof completion>
type Counts = NonNullable<Completion['usage']>
type Message = NonNullable<Completion['choices'][number]['message']>

/** @throws AttemptError if the response is an error, filtered, or no answer */
export function parseAnswer(received: ReceivedAnswer, request: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  const error = errorIn(body)
  if (error !== undefined) throw answerFailure({ ...received, ...error }, endpoint)
  const result = completion.safeParse(body)
  const choice = result.data?.choices[0]
  if (choice?.finish_reason === 'content_filter') throw makeRefusalError('the answer was stopped by a content filter')
  const message = choice?.message
  if (result.data === undefined || (choice !== undefined && (message == null || isBlank(message)))) {
    throw makeMalformedError(
      `answered with something else than a chat completion: ${shownText(received.text, endpoint)}`,
    )
  }
  if (choice === undefined || message == null) throw makeMalformedError('answered without a choice')
  const { finish_reason: finish } = choice
  if (brokenOff.has(finish ?? '')) throw makeMalformedError(`the answer was broken off: ${finish}`)
  if (message.refusal != null && message.refusal !== '') throw makeRefusalError(shownText(message.refusal, endpoint))
  const media = listMedia(message)
  return {
    body: makeResponseBody(message, finish, request),
    usage: readUsage(result.data),
    ...(media.length > 0 && { media }),
  }
}

/**
 * Finds an error in a response with status 200. Gateways send these, OpenRouter also inside the choice. Some put the
 * status into `code`.
 */
function errorIn(body: unknown): { readonly status: number; readonly text?: string } | undefined {
  const choices = field(body, 'choices')
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const error = field(body, 'error') ?? field(choice, 'error') ?? findBareError(body)
  if (error === undefined) return undefined
  const status = readErrorStatus(error)
  return choice === undefined ? { status } : { status, text: JSON.stringify({ error }) }
}

/** Tells whether no field of the message is set. Such a message is no answer, unlike an empty text. */
const isBlank = (message: Message): boolean =>
  message.content === undefined &&
  message.reasoning_content == null &&
  message.reasoning == null &&
  message.tool_calls == null &&
  message.audio == null &&
  message.images == null &&
  message.refusal == null

/** Lists the pictures and the sound of a message. */
function listMedia({ content, images, audio }: Message): readonly Uint8Array[] {
  const parts = [...(typeof content === 'string' ? [] : (content ?? [])), ...(images ?? [])]
  const pictures = parts.flatMap(({ image_url: image }) => (image == null ? [] : [readDataAddress(image.url)]))
  return audio == null || audio.data === '' ? pictures : [...pictures, decodeMedium(audio.data)]
}

function makeResponseBody(message: Message, finish: string | null | undefined, request: ModelRequest): ResponseBody {
  // A spoken answer has no content, and its words as a transcript.
  const content = (message.content || message.audio?.transcript) ?? ''
  const whole = typeof content === 'string' ? content : joinTexts(content)
  const text = cutAtStop(whole, request.generation)
  const thought = typeof content === 'string' ? '' : joinTexts(content.flatMap(part => part.thinking ?? []))
  // Some servers fill one field and leave the other empty.
  const reasoning = [message.reasoning_content, message.reasoning, thought].find(Boolean) ?? ''
  const { toolCalls, turn } = request.input.tools === undefined ? {} : readToolCalls(message)
  const finishReason =
    toolCalls !== undefined
      ? 'tool_calls'
      : text.length < whole.length
        ? 'stop'
        : (finishReasons[finish ?? ''] ?? 'unknown')
  return {
    text,
    finishReason,
    // A reason that the server calls unknown is a reason, and not the lack of one.
    rawFinishReason: finish == null || (finish === finishReason && finish !== 'unknown') ? undefined : finish,
    reasoning: reasoning === '' ? undefined : reasoning,
    toolCalls,
    turn,
  }
}

const joinTexts = (parts: readonly z.output<typeof textPart>[]): string => parts.map(({ text }) => text ?? '').join('')

/** Finish reasons that are errors of the provider. */
const brokenOff: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource'])

const finishReasons: Readonly<Record<string, ResponseBody['finishReason']>> = {
  stop: 'stop',
  eos: 'stop',
  length: 'length',
  model_length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
}

function readUsage({ usage }: Completion): Usage | undefined {
  if (usage == null) return undefined
  return {
    inputTokens: usage.prompt_tokens ?? undefined,
    outputTokens: outputTokens(usage) ?? undefined,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? undefined,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? undefined,
    audioTokens: usage.prompt_tokens_details?.audio_tokens || undefined,
  }
}

/** Counts thinking tokens as output. xAI counts them separately, which its total shows. */
function outputTokens(usage: Counts): number | null | undefined {
  const { prompt_tokens: input, completion_tokens: said, total_tokens: total } = usage
  const thought = usage.completion_tokens_details?.reasoning_tokens
  if (input == null || said == null || thought == null) return said
  return total === input + said + thought ? said + thought : said
}
