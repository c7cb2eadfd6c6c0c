import type { AttemptError } from '../../model.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { type ErrorAnswer, field, tryParseJson, statusFailure } from '../http/protocol/failure.js'

/** Reads an error response: `{"type":"error","error":{"type":"rate_limit_error","message":"…"}}`. */
export function messageFailure(answer: ErrorAnswer, endpoint: Endpoint): AttemptError {
  const error = field(tryParseJson(answer.text), 'error')
  const said = field(error, 'message')
  const message = typeof said === 'string' ? said : answer.text
  const code = field(field(error, 'details'), 'error_code')
  // An account without credit and a content filter are both reported as a bad request.
  const isUsedUp = answer.status === 402 || spentCodes.has(code) || usedUp.test(message)
  const isFiltered = /blocked by content filtering policy/i.test(message)
  return statusFailure(answer, { message, isUsedUp, isFiltered, hint: findOmitHint(message) }, endpoint)
}

/** Codes of an account that cannot pay, sent with status 429 or 400. `ramp_limit_exceeded` is not among them: it passes. */
const spentCodes: ReadonlySet<unknown> = new Set([
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'linked_organization_spend_limit_reached',
  'organization_on_hold',
  'user_profile_billing_not_authorized',
  'user_profile_not_billable',
])

const usedUp = /credit balance is too low|reached your specified API usage limits/i

/** Suggests which parameter to omit, because newer models accept only one of these, or none. */
function findOmitHint(message: string): string | undefined {
  const [, deprecated] = /`?\b(temperature|top_p|top_k)\b`? is deprecated/i.exec(message) ?? []
  const field = /cannot both be specified/i.test(message) ? 'top_p' : deprecated
  return field === undefined ? undefined : ` (add omit=${field} to the model arguments)`
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

/** Finds the status that belongs to an error inside a response with status 200. */
export function errorStatus(body: unknown): number {
  const type = field(field(body, 'error'), 'type')
  return (typeof type === 'string' ? statuses[type] : undefined) ?? 500
}
