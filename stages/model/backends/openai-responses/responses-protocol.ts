import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/protocol/client.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { keyHeaders } from '../openai/chat-completions.js'
import { answerFailure } from '../openai/failure.js'
import { parseResponse } from './response-answer.js'
import { responseRequest, type ResponseRules } from './response-request.js'
import { StreamedResponse } from './response-stream.js'

export interface ResponsesCall {
  readonly endpoint: Endpoint
  readonly rules: ResponseRules
  readonly accepts: BackendDefinition['accepts']
}

/** OpenAI's Responses API. See https://platform.openai.com/docs/api-reference/responses/create */
export const responsesProtocol = ({ endpoint, rules, accepts }: ResponsesCall): Protocol => ({
  path: `${endpoint.path}/responses`,
  headers: keyHeaders(endpoint.apiKey),
  accepts,
  takesTools: true,
  write: (request, typeOf) => responseRequest(request, rules, typeOf),
  read: (received, request) => parseResponse(received, request, endpoint),
  failure: answer => answerFailure(answer, endpoint),
  streaming: { fields: { stream: true }, assemble: () => new StreamedResponse(endpoint) },
})
