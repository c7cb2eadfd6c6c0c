import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/client.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseAnswer } from './chat-answer.js'
import { chatRequest, type ChatRules } from './chat-request.js'
import { answerFailure } from './failure.js'

export interface ChatCall {
  readonly endpoint: Endpoint
  readonly rules: ChatRules
  readonly accepts: BackendDefinition['accepts']
  /** Azure wants the version of its API with each call. */
  readonly apiVersion?: string | undefined
  /** The header that carries the key; usually `authorization`. */
  readonly keyHeader?: 'api-key' | undefined
}

/** The OpenAI chat completions protocol, as most providers and servers speak it. */
export function chatCompletions({ endpoint, rules, accepts, apiVersion, keyHeader }: ChatCall): Protocol {
  const query = apiVersion === undefined ? '' : `?api-version=${encodeURIComponent(apiVersion)}`
  return {
    path: `${endpoint.path}/chat/completions${query}`,
    headers: keyHeaders(endpoint.apiKey, keyHeader),
    accepts,
    write: (request, typeOf) => chatRequest(request, rules, typeOf),
    read: (received, request) => parseAnswer(received, request, endpoint),
    failure: answer => answerFailure(answer, endpoint),
  }
}

/** The header with the key. */
export function keyHeaders(apiKey: string | undefined, keyHeader?: 'api-key'): Record<string, string> {
  if (apiKey === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}
