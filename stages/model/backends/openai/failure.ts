import type { AttemptError } from '../../define-backend.js'
import type { Endpoint } from '../http/endpoint.js'
import { field, impossible, jsonOf, retryAfterOf, shownText, statusFailure, type ErrorAnswer } from '../http/failure.js'
import { durationOf } from '../http/rate-limits.js'

/** What providers call a prompt or an answer that their filter stopped. */
const filterCodes: ReadonlySet<string> = new Set(['content_filter', 'content_policy_violation'])

/** The failure that a server's answer with an error status, or with an error in it, stands for. */
export function answerFailure(answer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const { message, code, isFlagged } = wordsOf(answer.text)
  // A used-up account says 429 too, or 402, but no wait mends it.
  const isUsedUp = code === 'insufficient_quota' || answer.status === 402
  const hint = hintAt(answer.status, message, endpoint)
  if (unseen.test(message)) return impossible(`${answer.status} ${shownText(message, endpoint)}`)
  const retryAfter = retryAfterOf(answer.headers) ?? saidWait(message)
  const isKeyWrong = answer.status === 400 && wrongKey.test(message)
  const isFiltered = isFlagged || filterCodes.has(code)
  return statusFailure(answer, { message, isFiltered, isUsedUp, isKeyWrong, hint, retryAfter }, endpoint)
}

/** xAI says so with status 400. */
const wrongKey = /^(incorrect|invalid) api key/i

/** llama.cpp's server says so with status 500, as if another try could help. */
const unseen = /\b(image|audio|video) input is not supported\b/

/** OpenAI and Groq say in words how long to wait, and not always in a header: `Please try again in 1m2.5s.` */
function saidWait(message: string): number | undefined {
  const [, duration] = /try again in ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i.exec(message) ?? []
  return duration === undefined ? undefined : durationOf(duration)
}

function hintAt(status: number, message: string, { path, origin }: Endpoint): string | undefined {
  if (status === 404 && path === '') return ` (does base_url=${origin} lack /v1?)`
  return /stream_options/.test(message) ? ' (give stream=false, or omit=stream_options)' : undefined
}

function wordsOf(text: string): { message: string; code: string; isFlagged: boolean } {
  const body = jsonOf(text)
  const error = field(body, 'error') ?? body
  const message = [error, field(error, 'message'), field(body, 'message'), field(body, 'detail')].find(
    words => typeof words === 'string',
  )
  const code = field(error, 'code')
  return {
    message: typeof message === 'string' ? message : text,
    code: typeof code === 'string' ? code : '',
    // OpenRouter says with status 403 why a moderator stopped the prompt.
    isFlagged: field(field(error, 'metadata'), 'flagged_input') !== undefined,
  }
}
