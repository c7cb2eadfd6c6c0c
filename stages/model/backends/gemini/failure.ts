import type { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { type ErrorAnswer, field, jsonOf, statusFailure } from '../http/protocol/failure.js'

/** The failure of an error answer: `{"error":{"code":429,"message":"…","status":"RESOURCE_EXHAUSTED","details":[…]}}`. */
export function contentFailure(answer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const error = errorIn(jsonOf(answer.text))
  const said = field(error, 'message')
  const message = typeof said === 'string' ? said : answer.text
  const isElsewhere = /location is not supported/i.test(message)
  return statusFailure(
    answer,
    {
      message,
      retryAfter: retryDelay(error),
      isUsedUp: isDayOver(error),
      isKeyWrong: isElsewhere || reasonOf(error) === 'API_KEY_INVALID',
      hint: isElsewhere ? '' : undefined,
    },
    endpoint,
  )
}

/** The error in an answer, which is sometimes the only one of a list. */
export function errorIn(body: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(body) ? body : [body]
  return field(list[0], 'error') ?? undefined
}

/** The status that an error under status 200 should have had. */
export function errorStatus(error: unknown): number {
  const code = Number(field(error, 'code'))
  return Number.isInteger(code) && code >= 400 && code < 600 ? code : 500
}

/** A detail of an error, by the name of its type. */
function detailOf(error: unknown, type: string): unknown {
  const details = field(error, 'details')
  const list: readonly unknown[] = Array.isArray(details) ? details : []
  return list.find(detail => String(field(detail, '@type')).endsWith(type))
}

/** A google.rpc.ErrorInfo tells a wrong key, which has status 400 like much else. */
const reasonOf = (error: unknown): unknown => field(detailOf(error, 'google.rpc.ErrorInfo'), 'reason')

/** Whether google.rpc.QuotaFailure names what is granted by the day; RetryInfo beside it speaks of seconds. */
function isDayOver(error: unknown): boolean {
  const violations = field(detailOf(error, 'google.rpc.QuotaFailure'), 'violations')
  return Array.isArray(violations) && violations.some(one => String(field(one, 'quotaId')).includes('PerDay'))
}

/** Milliseconds of google.rpc.RetryInfo, a duration such as `34.07s`. */
function retryDelay(error: unknown): number | undefined {
  const delay = field(detailOf(error, 'google.rpc.RetryInfo'), 'retryDelay')
  const seconds = typeof delay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] : undefined
  return seconds === undefined ? undefined : Number(seconds) * 1000
}
