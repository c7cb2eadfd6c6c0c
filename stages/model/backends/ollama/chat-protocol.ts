import { z } from 'zod'
import type { BackendDefinition } from '../../define-backend.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { field, makeMalformedError, shownText } from '../http/protocol/failure.js'
import { cutStream, eventJson, type Protocol, type StreamedAnswer } from '../http/protocol/protocol.js'
import type { ServerEvent } from '../http/wire/event-stream.js'
import { keyHeaders } from '../openai/chat-completions.js'
import { ollamaFailure, parseOllama } from './chat-answer.js'
import { ollamaRequest, type OllamaRules } from './chat-request.js'

/**
 * Ollama's own chat API. Its OpenAI-compatible API has no field for the context length.
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
  // Streaming must be turned off explicitly, because it is Ollama's default.
  streaming: { fields: { stream: true }, otherwise: { stream: false }, assemble: () => new StreamedOllama(endpoint) },
})

/** The fields of one streamed piece that are read. Each piece is an answer with the new text. */
const piece = z.looseObject({
  message: z
    .looseObject({
      content: z.string().nullish(),
      thinking: z.string().nullish(),
      tool_calls: z.array(z.unknown()).nullish(),
    })
    .nullish(),
  done: z.boolean(),
})

/** Assembles an answer that Ollama streams line by line into what it would have sent without streaming. */
class StreamedOllama implements StreamedAnswer {
  readonly format = 'lines'
  readonly #endpoint: Endpoint
  readonly #toolCalls: unknown[] = []
  #content = ''
  #thinking = ''
  #last: object | undefined
  #error: unknown

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  take(event: ServerEvent): boolean {
    const value = eventJson(event, this.#endpoint)
    if (field(value, 'error') != null) {
      this.#error ??= value
      return false
    }
    const { data } = piece.safeParse(value)
    if (data === undefined)
      throw makeMalformedError(`sent no piece of a chat: ${shownText(event.data, this.#endpoint)}`)
    const { content, thinking, tool_calls: calls } = data.message ?? {}
    this.#content += content ?? ''
    this.#thinking += thinking ?? ''
    this.#toolCalls.push(...(calls ?? []))
    // The last piece holds the token counts.
    if (data.done) this.#last = data
    return Boolean(content) || Boolean(thinking) || (calls ?? []).length > 0
  }

  /** @throws AttemptError if the stream ended without the piece marked `done` */
  end(): string {
    if (this.#error !== undefined) return JSON.stringify(this.#error)
    if (this.#last === undefined) throw cutStream()
    const message = {
      role: 'assistant',
      content: this.#content,
      ...(this.#thinking === '' ? {} : { thinking: this.#thinking }),
      ...(this.#toolCalls.length === 0 ? {} : { tool_calls: this.#toolCalls }),
    }
    return JSON.stringify({ ...this.#last, message })
  }
}
