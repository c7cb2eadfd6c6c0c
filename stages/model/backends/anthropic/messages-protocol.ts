import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/protocol/client.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { messageFailure } from './failure.js'
import { parseMessage } from './message-answer.js'
import { messageRequest, type MessageRules } from './message-request.js'
import { StreamedMessage } from './message-stream.js'

export interface MessagesCall {
  readonly endpoint: Endpoint
  readonly rules: MessageRules & { readonly anthropic_version: string; readonly anthropic_beta: readonly string[] }
  readonly accepts: BackendDefinition['accepts']
}

/**
 * Anthropic's Messages API.
 *
 * See https://docs.anthropic.com/en/api/messages and https://docs.anthropic.com/en/api/errors
 */
export const messagesProtocol = ({ endpoint, rules, accepts }: MessagesCall): Protocol => ({
  path: `${endpoint.path}/v1/messages`,
  headers: {
    'anthropic-version': rules.anthropic_version,
    ...(rules.anthropic_beta.length === 0 ? {} : { 'anthropic-beta': rules.anthropic_beta.join(',') }),
    ...(endpoint.apiKey === undefined ? {} : { 'x-api-key': endpoint.apiKey }),
  },
  accepts,
  takesTools: true,
  write: (request, typeOf) => messageRequest(request, rules, typeOf),
  read: (received, request) => parseMessage(received, request, endpoint),
  failure: answer => messageFailure(answer, endpoint),
  streaming: { fields: { stream: true }, assemble: () => new StreamedMessage(endpoint) },
})
