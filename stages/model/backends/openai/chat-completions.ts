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
  /** The API version that Azure requires in each call. */
  readonly apiVersion?: string | undefined
  /** The header for the key. @default authorization */
  readonly keyHeader?: 'api-key' | undefined
}

/** OpenAI's chat completions API, which most providers and servers implement. */
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
 * Selects the streaming fields. Token counts must be requested. Mistral, the only API with another name for the seed,
 * counts unasked and rejects the field. For other servers without it, `omit` leaves it out.
 */
const streamFields = ({ omit, seed_field: seed }: ChatRules): JsonObject => ({
  stream: true,
  ...(seed === 'random_seed' || omit.includes('stream_options') ? {} : { stream_options: { include_usage: true } }),
})

/** Makes the header with the key. */
export function keyHeaders(apiKey: string | undefined, keyHeader?: 'api-key'): Record<string, string> {
  if (apiKey === undefined) return {}
  return keyHeader === undefined ? { authorization: `Bearer ${apiKey}` } : { [keyHeader]: apiKey }
}
