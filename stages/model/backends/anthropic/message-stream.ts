import { z } from 'zod'
import type { Endpoint } from '../http/protocol/endpoint.js'
import type { ServerEvent } from '../http/wire/event-stream.js'
import { field, tryParseJson, makeMalformedError, shownText } from '../http/protocol/failure.js'
import { cutStream, eventJson, type StreamedAnswer } from '../http/protocol/protocol.js'

const fields = z.looseObject({})

/** The event fields that are read. */
const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: fields }),
  z.object({ type: z.literal('content_block_start'), index: z.number(), content_block: fields }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.looseObject({
      type: z.string(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      partial_json: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal('content_block_stop'), index: z.number() }),
  z.object({ type: z.literal('message_delta'), delta: fields, usage: fields.nullish() }),
  z.object({ type: z.literal('message_stop') }),
])

type MessageEvent = z.output<typeof event>
type Delta = Extract<MessageEvent, { type: 'content_block_delta' }>['delta']

/** One content block, and the JSON text of a tool's input so far. */
interface Block {
  readonly content: Record<string, unknown>
  input: string
}

const knownTypes: ReadonlySet<unknown> = new Set(event.options.map(option => option.shape.type.value))

/**
 * Assembles a streamed message into the message that the API would have sent without streaming.
 *
 * See https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
export class StreamedMessage implements StreamedAnswer {
  readonly #endpoint: Endpoint
  readonly #blocks = new Map<number, Block>()
  #message: Record<string, unknown> | undefined
  #usage: Record<string, unknown> = {}
  #error: unknown
  #isDone = false

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  take(said: ServerEvent): boolean {
    const value = eventJson(said, this.#endpoint)
    if (field(value, 'type') === 'error' || field(value, 'error') != null) {
      this.#error ??= value
      return false
    }
    // A gateway may send the error object itself.
    if (said.type === 'error') {
      this.#error ??= { type: 'error', error: value }
      return false
    }
    // The API may add kinds of events at any time. `ping` is one that is ignored.
    if (!knownTypes.has(field(value, 'type'))) return false
    const { data } = event.safeParse(value)
    if (data === undefined)
      throw makeMalformedError(`sent no piece of a message: ${shownText(said.data, this.#endpoint)}`)
    return this.#add(data)
  }

  /** @throws AttemptError if the stream ended without a stop reason */
  end(): string {
    if (this.#error !== undefined) return JSON.stringify(this.#error)
    const message = this.#message
    if (message === undefined || (!this.#isDone && message['stop_reason'] == null)) throw cutStream()
    const content = [...this.#blocks.entries()]
      .sort(([index], [other]) => index - other)
      .map(([, block]) => whole(block))
    return JSON.stringify({ ...message, content, usage: this.#usage })
  }

  #add(data: MessageEvent): boolean {
    switch (data.type) {
      case 'message_start':
        this.#message = { ...data.message }
        this.#count(data.message['usage'])
        return false
      case 'content_block_start':
        this.#blocks.set(data.index, { content: { ...data.content_block }, input: '' })
        return false
      case 'content_block_delta':
        return this.#addTo(data.index, data.delta)
      case 'content_block_stop':
        return false
      case 'message_delta':
        Object.assign((this.#message ??= {}), data.delta)
        this.#count(data.usage)
        return false
      case 'message_stop':
        this.#isDone = true
        return false
    }
  }

  #addTo(index: number, { text, thinking, signature, partial_json: json }: Delta): boolean {
    const block = this.#blocks.get(index) ?? { content: {}, input: '' }
    this.#blocks.set(index, block)
    if (text !== undefined) append(block.content, 'text', text)
    if (thinking !== undefined) append(block.content, 'thinking', thinking)
    if (signature !== undefined) append(block.content, 'signature', signature)
    if (json !== undefined) block.input += json
    return [text, thinking, json].some(piece => piece !== undefined && piece !== '')
  }

  /** Later counts replace earlier ones. Counts that are missing there stay. */
  #count(usage: unknown): void {
    if (typeof usage !== 'object' || usage === null) return
    for (const [name, value] of Object.entries(usage)) if (value != null) this.#usage[name] = value
  }
}

function append(content: Record<string, unknown>, name: string, piece: string): void {
  const before = content[name]
  content[name] = (typeof before === 'string' ? before : '') + piece
}

function whole({ content, input }: Block): object {
  return input === '' ? content : { ...content, input: tryParseJson(input) }
}
