import { messageOf, systemCode } from '../../../../base/errors.js'
import { withoutSecrets } from '../../../../base/secrets.js'
import type { FailureClass } from '../../../../cache/records.js'
import { AttemptError } from '../../define-backend.js'
import { keyVariable, shownBaseUrl, type Endpoint } from './endpoint.js'

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

const longestMessage = 300
const timeoutCodes: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])
/** What providers call a prompt or an answer that their filter stopped. */
const filterCodes: ReadonlySet<string> = new Set(['content_filter', 'content_policy_violation'])

/** What may be said of an error that a server worded: short, on one line, without the key. */
export function shownText(text: string, endpoint: Endpoint): string {
  const line = withoutSecrets(text, endpoint.apiKey === undefined ? [] : [endpoint.apiKey])
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line
}

/** The failure of a connection, or of an answer that never came whole. */
export function connectionFailure(error: unknown, endpoint: Endpoint): AttemptError {
  if (error instanceof AttemptError) return error
  const code = systemCode(error) ?? ''
  const reason = shownText(messageOf(error) || code, endpoint)
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)
  return new AttemptError(timeoutCodes.has(code) ? 'timeout' : 'server', `${shownBaseUrl(endpoint)}: ${reason}`, {
    isRetryable: !isCertificate,
    cause: error,
  })
}

export interface ErrorAnswer {
  readonly status: number
  readonly headers: Headers
  /** The server's own words: a JSON error object, or whatever it sent. */
  readonly text: string
}

/** The failure that a server's answer with an error status, or with an error in it, stands for. */
export function answerFailure(answer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const { message, code } = wordsOf(answer.text)
  const isFiltered = filterCodes.has(code)
  // A used-up account says 429 too, but no wait mends it.
  const isUsedUp = code === 'insufficient_quota'
  const failureClass = isFiltered ? 'refused' : classOf(answer.status)
  const isRetryable = !isUsedUp && ['rate_limited', 'timeout', 'server'].includes(failureClass)
  const text = `${answer.status} ${shownText(message, endpoint)}${hint(answer.status, endpoint)}`.trim()
  const retryAfter = retryAfterOf(answer.headers)
  return new AttemptError(failureClass, text, { isRetryable, ...(retryAfter === undefined ? {} : { retryAfter }) })
}

export function classOf(status: number): FailureClass {
  if (status === 429) return 'rate_limited'
  if (status === 408 || status === 504) return 'timeout'
  if (status >= 500 || status === 409 || status === 425) return 'server'
  return 'invalid_request'
}

function hint(status: number, endpoint: Endpoint): string {
  if (status === 401 || status === 403) {
    return endpoint.apiKey === undefined ? ` (no API key: set ${keyVariable})` : ` (check ${keyVariable} or api_key)`
  }
  if (status === 404 && endpoint.path === '') return ` (does base_url=${endpoint.origin} lack /v1?)`
  if (status >= 300 && status < 400) return ' (a redirect: give the address that it leads to as base_url)'
  return ''
}

function wordsOf(text: string): { message: string; code: string } {
  const body = parsed(text)
  const error = field(body, 'error') ?? body
  const message = [error, field(error, 'message'), field(body, 'message'), field(body, 'detail')].find(
    words => typeof words === 'string',
  )
  const code = field(error, 'code')
  return { message: typeof message === 'string' ? message : text, code: typeof code === 'string' ? code : '' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field of a value from outside, if it is an object and has it. */
export const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** Milliseconds that the server asks to wait, as `retry-after-ms`, seconds, or a date by the server's own clock. */
export function retryAfterOf(headers: Headers): number | undefined {
  const exact = Number.parseFloat(first(headers['retry-after-ms']))
  if (exact >= 0) return exact
  const after = first(headers['retry-after'])
  if (/^\s*\d+(\.\d+)?\s*$/.test(after)) return Number.parseFloat(after) * 1000
  const wait = Date.parse(after) - Date.parse(first(headers['date']))
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}

const first = (header: string | readonly string[] | undefined): string =>
  (typeof header === 'string' ? header : header?.[0]) ?? ''
