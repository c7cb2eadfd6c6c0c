import { z } from 'zod'
import type { Endpoint } from '../http/protocol/endpoint.js'
import type { ServerEvent } from '../http/wire/event-stream.js'
import { field, malformed, shownText } from '../http/protocol/failure.js'
import { cutStream, eventJson, type StreamedAnswer } from '../http/protocol/streaming.js'

/** What is read of one piece: each is an answer of its own, with the text that is new. */
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

/** An answer of Ollama that comes line by line, put together to what would have come in one piece. */
export class StreamedOllama implements StreamedAnswer {
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
    if (data === undefined) throw malformed(`sent no piece of a chat: ${shownText(event.data, this.#endpoint)}`)
    const { content, thinking, tool_calls: calls } = data.message ?? {}
    this.#content += content ?? ''
    this.#thinking += thinking ?? ''
    this.#toolCalls.push(...(calls ?? []))
    // The last piece has the counts.
    if (data.done) this.#last = data
    return Boolean(content) || Boolean(thinking) || (calls ?? []).length > 0
  }

  /** @throws AttemptError where it ended without the piece that says that it is done. */
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
