import type { AttemptError } from '../../define-backend.js'
import type { Endpoint } from '../http/endpoint.js'
import { field, jsonOf, statusFailure, type ErrorAnswer } from '../http/failure.js'

/** The failure of an error answer: `{"type":"error","error":{"type":"rate_limit_error","message":"…"}}`. */
export function messageFailure(answer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const error = field(jsonOf(answer.text), 'error')
  const said = field(error, 'message')
  const message = typeof said === 'string' ? said : answer.text
  // A used-up account is told as a bad request; no other request would fare better.
  const isUsedUp = answer.status === 402 || /credit balance is too low/i.test(message)
  return statusFailure(answer, { message, isUsedUp }, endpoint)
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** The status that an error under status 200 should have had. */
export function errorStatus(body: unknown): number {
  const type = field(field(body, 'error'), 'type')
  return (typeof type === 'string' ? statuses[type] : undefined) ?? 500
}
