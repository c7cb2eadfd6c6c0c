import type { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import {
  type ErrorAnswer,
  field,
  impossible,
  tryParseJson,
  shownText,
  statusFailure,
} from '../http/protocol/failure.js'
import { parseDuration, readRetryAfter } from '../http/protocol/rate-limits.js'

/** Error codes of providers for a prompt or answer that their content filter stopped. */
const filterCodes: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'image_content_policy_violation',
  'moderation_blocked',
])

/** Tells whether a filter stopped the prompt. OpenAI distinguishes that from an invalid prompt only in the message. */
export const isFilter = (code: string, message: string): boolean =>
  filterCodes.has(code) || (code === 'invalid_prompt' && /\bflagged\b/i.test(message))

/** Error codes or types of an account without credit: of OpenAI, Moonshot, and a LiteLLM proxy. */
const usedUpCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
  'exceeded_current_quota_error',
  'budget_exceeded',
])

/** Messages of LiteLLM, xAI and Fireworks for an account without credit, which have no code. */
const usedUpWords =
  /\b(budget has been exceeded|exceeded budget|have any credits|used all available credits)\b|^Account \S+ is suspended/i

/** Makes the failure for a response with an error. */
export function answerFailure(errorAnswer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const words = parseErrorText(errorAnswer.text)
  const { message, code, type, isFlagged } = words
  const named = statuses[code] ?? statuses[type] ?? (tooLong.test(message) ? 400 : 500)
  const answer = errorAnswer.status === 500 ? { ...errorAnswer, status: named } : errorAnswer
  // An account without credit is reported with 429 or 402, too, but a retry does not help.
  const isUsedUp = answer.status === 402 || usedUpCodes.has(code) || usedUpCodes.has(type) || usedUpWords.test(message)
  const hint = hintAt(answer.status, words, endpoint)
  if (unseen.test(message) || (answer.status === 429 && tooLarge.test(message)))
    return impossible(`${answer.status} ${shownText(message, endpoint)}`)
  const retryAfter = readRetryAfter(answer.headers) ?? saidWait(message)
  const isKeyWrong = answer.status === 400 && wrongKey.test(message)
  const isFiltered = isFlagged || isFilter(code, message)
  return statusFailure(answer, { message, isFiltered, isUsedUp, isKeyWrong, hint, retryAfter }, endpoint)
}

/**
 * Finds an error that is the reply or the event itself, and not below `error`: of vLLM up to 0.10 and LMDeploy (`object: "error"`), FastChat (`text` with
 * `error_code`), and FastAPI (`detail`).
 */
export function findBareError(value: unknown): unknown {
  if (field(value, 'choices') !== undefined) return undefined
  const isNamed = field(value, 'object') === 'error' || field(value, 'type') === 'error'
  const hasCode = ['code', 'error_code', 'status', 'type'].some(name => field(value, name) != null)
  const hasWords = ['message', 'text'].some(name => typeof field(value, name) === 'string')
  return isNamed || (hasCode && hasWords) || field(value, 'detail') != null ? value : undefined
}

/** Reads the status of an error inside a reply with status 200. 500 if it has none. */
export function readErrorStatus(error: unknown): number {
  for (const name of ['code', 'status', 'error_code']) {
    const code = Number(field(error, name) ?? Number.NaN)
    if (Number.isInteger(code) && code >= 400 && code < 600) return code
    // FastChat adds two digits, and files an overlong prompt under 403.
    const status = Math.floor(code / 100)
    if (name === 'error_code' && status >= 400 && status < 600) return status === 403 ? 400 : status
  }
  // FastAPI lists the fields of a request that are invalid.
  return Array.isArray(field(error, 'detail')) ? 422 : 500
}

/** Messages about a prompt that is too long. Another attempt has the same prompt. */
const tooLong =
  /\b(maximum context length|context (length|window|size) (is )?exceeded|exceeds? the (available )?context)\b/i

/** Statuses by the name of an error inside a response or stream. Gateways report any of these with 500. */
const statuses: Readonly<Record<string, number | undefined>> = {
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  model_not_found: 404,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  // The classes of vLLM, SGLang and LMDeploy.
  BadRequestError: 400,
  invalid_request_error: 400,
  AuthenticationError: 401,
  NotFoundError: 404,
  UnprocessableEntityError: 422,
  RateLimitError: 429,
}

/** xAI reports a wrong key with status 400. */
const wrongKey = /^(incorrect|invalid) api key/i

/** llama.cpp's server reports unsupported media with status 500, as if a retry could help. */
const unseen = /\b(image|audio|video) input is not supported\b/

/** OpenAI's message for a single request that exceeds the limit per minute. */
const tooLarge = /^request too large\b/i

/** Reads the wait from the message, such as `Please try again in 1m2.5s.`. OpenAI and Groq do not always send a header. */
function saidWait(message: string): number | undefined {
  const [, duration] = /try again in ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i.exec(message) ?? []
  return duration === undefined ? undefined : parseDuration(duration)
}

function hintAt(status: number, { message, code, param }: Words, { path, origin }: Endpoint): string | undefined {
  if (status === 404 && path === '') return ` (does base_url=${origin} lack /v1?)`
  if (/stream_options/.test(message)) return ' (give stream=false, or omit=stream_options)'
  if (!/^unsupported_(parameter|value)$/.test(code)) return undefined
  if (param === 'max_tokens') return ' (add max_tokens_field=max_completion_tokens to the model arguments)'
  return leftOut.has(param) ? ` (add omit=${param} to the model arguments)` : undefined
}

/** Parameters that a request can do without, so that a message suggests `omit=`. */
const leftOut: ReadonlySet<string> = new Set([
  'temperature',
  'top_p',
  'top_k',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
])

interface Words {
  readonly message: string
  readonly code: string
  readonly type: string
  readonly param: string
  readonly isFlagged: boolean
}

function parseErrorText(text: string): Words {
  const body = tryParseJson(text)
  const error = field(body, 'error') ?? body
  const detail = field(body, 'detail')
  const inner = field(error, 'detail') ?? detail
  const message = [
    ...[error, field(error, 'message'), field(body, 'message')],
    ...[inner, invalidField(inner), field(error, 'text')],
  ].find(words => typeof words === 'string')
  return {
    message: message ?? text,
    code: textIn(error, 'code'),
    type: textIn(error, 'type'),
    param: textIn(error, 'param'),
    // OpenRouter reports with status 403 why a moderator stopped the prompt.
    isFlagged:
      field(field(error, 'metadata'), 'flagged_input') !== undefined ||
      // Azure OpenAI names the filter here if the code is a number.
      textIn(field(error, 'innererror'), 'code') === 'ResponsibleAIPolicyViolation',
  }
}

function textIn(error: unknown, name: string): string {
  const value = field(error, name)
  return typeof value === 'string' ? value : ''
}

/** Finds the first invalid field in the list that FastAPI servers such as Mistral's send: `{"loc":["body","stop"],"msg":"…"}`. */
function invalidField(detail: unknown): string | undefined {
  const list: readonly unknown[] = Array.isArray(detail) ? detail : []
  const [where, said] = [field(list[0], 'loc'), field(list[0], 'msg')]
  if (typeof said !== 'string') return undefined
  return Array.isArray(where) ? `${where.join('.')}: ${said}` : said
}
