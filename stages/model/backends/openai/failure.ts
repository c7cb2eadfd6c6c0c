import type { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { type ErrorAnswer, field, impossible, jsonOf, shownText, statusFailure } from '../http/protocol/failure.js'
import { durationOf, retryAfterOf } from '../http/protocol/rate-limits.js'

/** What providers call a prompt or an answer that their filter stopped. */
const filterCodes: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'image_content_policy_violation',
  'moderation_blocked',
])

/** OpenAI says only in words whether a prompt was flagged or is invalid. */
export const isFilter = (code: string, message: string): boolean =>
  filterCodes.has(code) || (code === 'invalid_prompt' && /\bflagged\b/i.test(message))

/** Codes, or types, of an account that is used up: of OpenAI, Moonshot, and a LiteLLM proxy. */
const usedUpCodes: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_not_active',
  'billing_hard_limit_reached',
  'exceeded_current_quota_error',
  'budget_exceeded',
])

/** What LiteLLM, xAI and Fireworks say of one without a code of its own. */
const usedUpWords =
  /\b(budget has been exceeded|exceeded budget|have any credits|used all available credits)\b|^Account \S+ is suspended/i

/** The failure that a server's answer with an error status, or with an error in it, stands for. */
export function answerFailure(told: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const words = wordsOf(told.text)
  const { message, code, type, isFlagged } = words
  const answer = told.status === 500 ? { ...told, status: statuses[code] ?? statuses[type] ?? 500 } : told
  // A used-up account says 429 too, or 402, but no wait mends it.
  const isUsedUp = answer.status === 402 || usedUpCodes.has(code) || usedUpCodes.has(type) || usedUpWords.test(message)
  const hint = hintAt(answer.status, words, endpoint)
  if (unseen.test(message) || (answer.status === 429 && tooLarge.test(message)))
    return impossible(`${answer.status} ${shownText(message, endpoint)}`)
  const retryAfter = retryAfterOf(answer.headers) ?? saidWait(message)
  const isKeyWrong = answer.status === 400 && wrongKey.test(message)
  const isFiltered = isFlagged || isFilter(code, message)
  return statusFailure(answer, { message, isFiltered, isUsedUp, isKeyWrong, hint, retryAfter }, endpoint)
}

/** An error in an answer, or in a stream, has a name in place of a status, and gateways tell any with 500. */
const statuses: Readonly<Record<string, number | undefined>> = {
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  model_not_found: 404,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
}

/** xAI says so with status 400. */
const wrongKey = /^(incorrect|invalid) api key/i

/** llama.cpp's server says so with status 500, as if another try could help. */
const unseen = /\b(image|audio|video) input is not supported\b/

/** OpenAI says so of a request that is more by itself than it takes in a minute. */
const tooLarge = /^request too large\b/i

/** OpenAI and Groq say in words how long to wait, and not always in a header: `Please try again in 1m2.5s.` */
function saidWait(message: string): number | undefined {
  const [, duration] = /try again in ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i.exec(message) ?? []
  return duration === undefined ? undefined : durationOf(duration)
}

function hintAt(status: number, { message, code, param }: Words, { path, origin }: Endpoint): string | undefined {
  if (status === 404 && path === '') return ` (does base_url=${origin} lack /v1?)`
  if (/stream_options/.test(message)) return ' (give stream=false, or omit=stream_options)'
  if (!/^unsupported_(parameter|value)$/.test(code)) return undefined
  if (param === 'max_tokens') return ' (add max_tokens_field=max_completion_tokens to --model-args)'
  return leftOut.has(param) ? ` (add omit=${param} to --model-args)` : undefined
}

/** Fields that an answer can do without. */
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

function wordsOf(text: string): Words {
  const body = jsonOf(text)
  const error = field(body, 'error') ?? body
  const detail = field(body, 'detail')
  const message = [error, field(error, 'message'), field(body, 'message'), detail, invalidField(detail)].find(
    words => typeof words === 'string',
  )
  return {
    message: message ?? text,
    code: textIn(error, 'code'),
    type: textIn(error, 'type'),
    param: textIn(error, 'param'),
    // OpenRouter says with status 403 why a moderator stopped the prompt.
    isFlagged: field(field(error, 'metadata'), 'flagged_input') !== undefined,
  }
}

function textIn(error: unknown, name: string): string {
  const value = field(error, name)
  return typeof value === 'string' ? value : ''
}

/** The first of a list that FastAPI's servers give, Mistral's among them: `{"loc":["body","stop"],"msg":"…"}`. */
function invalidField(detail: unknown): string | undefined {
  const list: readonly unknown[] = Array.isArray(detail) ? detail : []
  const [where, said] = [field(list[0], 'loc'), field(list[0], 'msg')]
  if (typeof said !== 'string') return undefined
  return Array.isArray(where) ? `${where.join('.')}: ${said}` : said
}
