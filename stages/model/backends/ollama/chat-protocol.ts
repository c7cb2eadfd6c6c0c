import type { BackendDefinition } from '../../define-backend.js'
import type { Protocol } from '../http/protocol/client.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { keyHeaders } from '../openai/chat-completions.js'
import { ollamaFailure, parseOllama } from './chat-answer.js'
import { ollamaRequest, type OllamaRules } from './chat-request.js'
import { StreamedOllama } from './chat-stream.js'

/**
 * Ollama's own chat API. Its OpenAI-compatible one has no way to say how long the context is.
 *
 * See https://github.com/ollama/ollama/blob/main/docs/api.md
 */
export const ollamaChat = (
  endpoint: Endpoint,
  rules: OllamaRules,
  accepts: BackendDefinition['accepts'],
): Protocol => ({
  path: `${endpoint.path}/api/chat`,
  headers: keyHeaders(endpoint.apiKey),
  accepts,
  takesTools: true,
  write: (request, typeOf) => ollamaRequest(request, rules, typeOf),
  read: (received, request) => parseOllama(received, request, endpoint),
  failure: answer => ollamaFailure(answer, endpoint),
  // Not to be asked for pieces must be said: they are what it sends else.
  streaming: { fields: { stream: true }, otherwise: { stream: false }, assemble: () => new StreamedOllama(endpoint) },
})
