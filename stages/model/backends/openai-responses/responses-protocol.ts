import type { BackendDefinition } from '../../define-backend.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { field } from '../http/protocol/failure.js'
import { cutStream, eventJson, type Protocol, type StreamedAnswer } from '../http/protocol/protocol.js'
import type { ServerEvent } from '../http/wire/event-stream.js'
import { keyHeaders } from '../openai/chat-completions.js'
import { answerFailure } from '../openai/failure.js'
import { parseResponse } from './response-answer.js'
import { responseRequest, type ResponseRules } from './response-request.js'

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

/** Events that contain the whole response and end the stream. */
const lastEvents: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/**
 * Assembles a streamed response. The last event contains all of it. If a server leaves out the output items there,
 * those of earlier events are used.
 *
 * See https://platform.openai.com/docs/api-reference/responses-streaming
 */
class StreamedResponse implements StreamedAnswer {
  readonly #endpoint: Endpoint
  readonly #items = new Map<number, unknown>()
  #response: unknown
  #error: unknown

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  take(event: ServerEvent): boolean {
    if (event.data.trim() === '[DONE]') return false
    const value = eventJson(event, this.#endpoint)
    const type = field(value, 'type') ?? event.type
    if (type === 'error' || (field(value, 'error') != null && field(value, 'response') === undefined))
      this.#error ??= field(value, 'error') ?? value
    else if (lastEvents.has(type)) this.#response = field(value, 'response')
    else if (type === 'response.output_item.done')
      this.#items.set(Number(field(value, 'output_index') ?? this.#items.size), field(value, 'item'))
    const delta = field(value, 'delta')
    return typeof delta === 'string' && delta !== ''
  }

  /** @throws AttemptError if the stream ended before the event with the whole response */
  end(): string {
    if (this.#error !== undefined) return JSON.stringify({ error: this.#error })
    const response = this.#response
    if (typeof response !== 'object' || response === null) throw cutStream()
    const output = field(response, 'output')
    const hasOutput = Array.isArray(output) && output.length > 0
    if (hasOutput || this.#items.size === 0) return JSON.stringify(response)
    const items = [...this.#items.entries()].sort(([index], [other]) => index - other).map(([, item]) => item)
    return JSON.stringify({ ...response, output: items })
  }
}
