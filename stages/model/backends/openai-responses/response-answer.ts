import { z } from 'zod'
import type { ResponseBody, Usage } from '../../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../../model.js'
import { decodeMedium } from '../http/protocol/answer-media.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import {
  field,
  makeMalformedError,
  parseJson,
  type ReceivedAnswer,
  makeRefusalError,
  shownText,
  statusFailure,
} from '../http/protocol/failure.js'
import { cutAtStop, tokenCount } from '../http/protocol/request-parts.js'
import { isFilter } from '../openai/failure.js'
import { readToolCalls } from './response-request.js'

const part = z.object({ type: z.string(), text: z.string().nullish(), refusal: z.string().nullish() })

/** The fields of a response that are read. */
const response = z.object({
  status: z.string(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(
    z.looseObject({
      type: z.string(),
      phase: z.string().nullish(),
      content: z.array(part).nullish(),
      summary: z.array(part).nullish(),
      result: z.unknown().optional(),
    }),
  ),
  usage: z
    .object({
      input_tokens: tokenCount,
      output_tokens: tokenCount,
      input_tokens_details: z.object({ cached_tokens: tokenCount }).nullish(),
      output_tokens_details: z.object({ reasoning_tokens: tokenCount }).nullish(),
    })
    .nullish(),
})

type Response = z.output<typeof response>

/** @throws AttemptError if the response is an error, a refusal, filtered, or no answer */
export function parseResponse(received: ReceivedAnswer, request: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  const error = field(body, 'error')
  if (error != null) throw errorFailure(received, error, endpoint)
  // A filtered answer may come without output.
  if (field(field(body, 'incomplete_details'), 'reason') === 'content_filter')
    throw makeRefusalError('the answer was stopped by a content filter')
  const { data } = response.safeParse(body)
  if (data === undefined)
    throw makeMalformedError(`answered with something else than a response: ${shownText(received.text, endpoint)}`)
  const { status } = data
  if (status !== 'completed' && status !== 'incomplete')
    throw makeMalformedError(`the answer was broken off: ${status}`)
  const refusal = partsWhere(data, () => true).find(({ type }) => type === 'refusal')
  if (refusal !== undefined) throw makeRefusalError(shownText(refusal.refusal ?? 'the model refused', endpoint))
  const media = data.output.flatMap(({ type, result }) =>
    type === imageCall && typeof result === 'string' ? [decodeMedium(result)] : [],
  )
  return { body: makeResponseBody(data, request), ...readUsage(data), ...(media.length > 0 && { media }) }
}

/** A picture that the model made with the tool of the API. It needs no result, unlike calls of other tools. */
const imageCall = 'image_generation_call'

/** Makes the failure for an error inside a response, which has a name instead of a status. */
function errorFailure(received: ReceivedAnswer, error: unknown, endpoint: Endpoint) {
  const [code, said] = [field(error, 'code'), field(error, 'message')]
  const name = typeof code === 'string' ? code : ''
  const message = typeof said === 'string' ? said : received.text
  return statusFailure(
    { ...received, status: convertErrorCode(name) },
    { message, isFiltered: isFilter(name, message), isUsedUp: name === 'insufficient_quota' },
    endpoint,
  )
}

function convertErrorCode(code: string): number {
  if (code === 'rate_limit_exceeded' || code === 'insufficient_quota') return 429
  return /^(invalid_|unsupported_|image_|empty_image)/.test(code) ? 400 : 500
}

/** Comments of a model between tool calls are not part of the answer. */
const isCommentary = ({ type, phase }: Response['output'][number]): boolean =>
  type === 'message' && phase === 'commentary'

const partsWhere = ({ output }: Response, isWanted: (item: Response['output'][number]) => boolean) =>
  output.flatMap(item => (item.type === 'message' && isWanted(item) ? (item.content ?? []) : []))

const joinTexts = (parts: readonly z.output<typeof part>[]): string => parts.map(({ text }) => text ?? '').join('')

function makeResponseBody(answer: Response, { input, generation }: ModelRequest): ResponseBody {
  const whole = joinTexts(partsWhere(answer, item => !isCommentary(item)))
  const text = cutAtStop(whole, generation)
  const thoughts = answer.output.filter(({ type }) => type === 'reasoning')
  const reasoning = thoughts
    .flatMap(({ content, summary }) => [joinTexts(content ?? []), ...(summary ?? []).map(({ text }) => text ?? '')])
    .filter(thought => thought !== '')
    .join('\n\n')
  return {
    text,
    ...readFinishReason(answer, text.length < whole.length),
    ...(reasoning === '' ? {} : { reasoning }),
    ...(input.tools === undefined ? {} : readToolCalls(answer.output)),
  }
}

function readFinishReason(answer: Response, isCut: boolean): Pick<ResponseBody, 'finishReason' | 'rawFinishReason'> {
  const raw = answer.incomplete_details?.reason ?? answer.status
  if (raw === 'max_output_tokens') return { finishReason: isCut ? 'stop' : 'length', rawFinishReason: raw }
  if (answer.output.some(({ type }) => type.endsWith('_call') && type !== imageCall))
    return { finishReason: 'tool_calls' }
  return raw === 'completed'
    ? { finishReason: 'stop' }
    : { finishReason: isCut ? 'stop' : 'unknown', rawFinishReason: raw }
}

function readUsage({ usage }: Response): { readonly usage?: Usage } {
  if (usage == null) return {}
  const counts = {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens,
    cachedTokens: usage.input_tokens_details?.cached_tokens,
  }
  return { usage: Object.fromEntries(Object.entries(counts).filter(([, tokens]) => tokens != null)) }
}
