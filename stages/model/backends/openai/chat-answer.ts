import { z } from 'zod'
import type { ResponseBody, Usage } from '../../../../cache/records.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../define-backend.js'
import type { Endpoint } from './endpoint.js'
import { answerFailure, field, shownText, type Headers } from './failure.js'

const count = z.number().nullish()

/** What is read of a chat completion; servers differ in all the rest. */
const completion = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string().nullish(),
      message: z.object({
        content: z.union([z.string(), z.array(z.object({ text: z.string().optional() }))]).nullish(),
        refusal: z.string().nullish(),
        reasoning_content: z.string().nullish(),
        reasoning: z.string().nullish(),
        tool_calls: z.array(z.unknown()).nullish(),
      }),
    }),
  ),
  usage: z
    .object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
      completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
    })
    .nullish(),
})

type Completion = z.output<typeof completion>
type Choice = Completion['choices'][number]

export interface ReceivedAnswer {
  readonly headers: Headers
  readonly text: string
}

/** @throws AttemptError where the answer is an error, none at all, or what a filter left of one. */
export function parseAnswer(received: ReceivedAnswer, request: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  const error = errorIn(body)
  if (error !== undefined) throw answerFailure({ ...received, status: error.status }, endpoint)
  const result = completion.safeParse(body)
  const choice = result.data?.choices[0]
  if (result.data === undefined || (choice !== undefined && isBlank(choice))) {
    throw malformed(`answered with something else than a chat completion: ${shownText(received.text, endpoint)}`)
  }
  if (choice === undefined) throw malformed('answered without a choice')
  const { finish_reason: finish, message } = choice
  if (finish === 'content_filter') throw refused('the answer was stopped by a content filter')
  if (message.refusal != null && message.refusal !== '') throw refused(shownText(message.refusal, endpoint))
  const usage = usageOf(result.data)
  return { body: bodyOf(choice, request), ...(usage === undefined ? {} : { usage }) }
}

function parseJson({ headers, text }: ReceivedAnswer, endpoint: Endpoint): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const type = typeof headers['content-type'] === 'string' ? headers['content-type'] : 'no content type'
    throw malformed(`answered with something else than JSON (${type}): ${shownText(text, endpoint)}`)
  }
}

/** Gateways pass errors on under status 200; some say in `code` which status it was. */
function errorIn(body: unknown): { readonly status: number } | undefined {
  const error = field(body, 'error')
  if (error === undefined || error === null) return undefined
  const code = Number(field(error, 'code'))
  return { status: Number.isInteger(code) && code >= 400 && code < 600 ? code : 500 }
}

/** An empty text is an answer; a message in which no field was set is none. */
const isBlank = ({ message }: Choice): boolean =>
  message.content === undefined &&
  message.reasoning_content == null &&
  message.reasoning == null &&
  message.tool_calls == null &&
  message.refusal == null

function bodyOf({ finish_reason: finish, message }: Choice, request: ModelRequest): ResponseBody {
  const content = message.content ?? ''
  const whole = typeof content === 'string' ? content : content.map(part => part.text ?? '').join('')
  const text = cutAtStop(whole, request.generation.until ?? [])
  const reasoning = message.reasoning_content ?? message.reasoning
  const finishReason = text.length < whole.length ? 'stop' : (finishReasons[finish ?? ''] ?? 'unknown')
  return {
    text,
    finishReason,
    ...(finish == null || finish === finishReason ? {} : { rawFinishReason: finish }),
    ...(reasoning == null || reasoning === '' ? {} : { reasoning }),
  }
}

const finishReasons: Readonly<Record<string, ResponseBody['finishReason']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
}

/** Before the first stop sequence: servers take only a few, and some leave the sequence in. */
function cutAtStop(text: string, until: readonly string[]): string {
  const ends = until.flatMap(stop => (stop === '' || !text.includes(stop) ? [] : [text.indexOf(stop)]))
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends))
}

function usageOf({ usage }: Completion): Usage | undefined {
  if (usage == null) return undefined
  const counts = {
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens,
  }
  return Object.fromEntries(Object.entries(counts).filter(([, tokens]) => tokens != null))
}

const malformed = (message: string) => new AttemptError('server', message, { isRetryable: true })
const refused = (message: string) => new AttemptError('refused', message, { isRetryable: false })
