import type { JsonObject } from '../../../../cache/records.js'
import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/protocol/protocol.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { parseAnswer } from './chat-answer.js'
import { chatRequest, type ChatRules } from './chat-request.js'
import { StreamedChat } from './chat-stream.js'
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
    takesTools: true,
    write: (request, typeOf) => chatRequest(request, rules, typeOf),
    read: (received, request) => parseAnswer(received, request, endpoint),
    failure: answer => answerFailure(answer, endpoint),
    streaming: {
      fields: streamFields(rules),
      assemble: () => new StreamedChat(endpoint),
    },
  }
}

/**
 * Tokens are counted in a stream where that is asked for. Mistral, the only one with a name of its own for seeds, counts
 * unasked and refuses the question; another server that does not know it may be spared it.
 */
const streamFields = ({ omit, seed_field: seed }: ChatRules): JsonObject => ({
  stream: true,
  ...(seed === 'random_seed' || omit.includes('stream_options') ? {} : { stream_options: { include_usage: true } }),
})

/** The header with the key. */
export function keyHeaders(apiKey: string | undefined, keyHeader?: 'api-key'): Record<string, string> {
  if (apiKey === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}
