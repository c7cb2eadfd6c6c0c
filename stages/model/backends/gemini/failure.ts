import type { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { type ErrorAnswer, field, tryParseJson, statusFailure } from '../http/protocol/failure.js'

/** Reads an error response: `{"error":{"code":429,"message":"…","status":"RESOURCE_EXHAUSTED","details":[…]}}`. */
export function contentFailure(answer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const error = errorIn(tryParseJson(answer.text))
  const said = field(error, 'message')
  const message = typeof said === 'string' ? said : answer.text
  const isElsewhere = /location is not supported/i.test(message)
  return statusFailure(
    answer,
    {
      message,
      retryAfter: retryDelay(error),
      isUsedUp: isDayOver(error),
      isKeyWrong: isElsewhere || readErrorReason(error) === 'API_KEY_INVALID',
      hint: isElsewhere ? '' : undefined,
    },
    endpoint,
  )
}

/** Finds the error in a response. It may be inside a list of one. */
export function errorIn(body: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(body) ? body : [body]
  return field(list[0], 'error') ?? undefined
}

/** Finds the status that belongs to an error inside a response with status 200. */
export function errorStatus(error: unknown): number {
  const code = Number(field(error, 'code'))
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 500
}

/** Finds a detail of an error by the name of its type. */
function findDetail(error: unknown, type: string): unknown {
  const details = field(error, 'details')
  const list: readonly unknown[] = Array.isArray(details) ? details : []
  return list.find(detail => String(field(detail, '@type')).endsWith(type))
}

/** Reads google.rpc.ErrorInfo, which identifies a wrong key. Its status, 400, has many other causes. */
const readErrorReason = (error: unknown): unknown => field(findDetail(error, 'google.rpc.ErrorInfo'), 'reason')

/** Tells whether google.rpc.QuotaFailure names a daily quota. RetryInfo beside it names only seconds. */
function isDayOver(error: unknown): boolean {
  const violations = field(findDetail(error, 'google.rpc.QuotaFailure'), 'violations')
  return (
    Array.isArray(violations) && violations.some(violation => String(field(violation, 'quotaId')).includes('PerDay'))
  )
}

/** Reads the milliseconds of google.rpc.RetryInfo, a duration such as `34.07s`. */
function retryDelay(error: unknown): number | undefined {
  const delay = field(findDetail(error, 'google.rpc.RetryInfo'), 'retryDelay')
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
