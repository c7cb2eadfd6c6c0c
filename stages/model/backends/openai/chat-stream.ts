import { z } from 'zod'
import type { ServerEvent } from '../http/wire/event-stream.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { field, malformed, shownText } from '../http/protocol/failure.js'
import { cutStream, eventJson, type StreamedAnswer } from '../http/protocol/streaming.js'
import { joinDetails, joinToolCalls, type ToolCallPiece } from './tool-call-pieces.js'

const text = z.string().nullish()

/** What is read of one piece of a chat completion. */
const chunk = z.object({
  choices: z
    .array(
      z.object({
        index: z.number().nullish(),
        finish_reason: text,
        delta: z
          .object({
            role: text,
            content: z.union([z.string(), z.array(z.unknown())]).nullish(),
            refusal: text,
            reasoning_content: text,
            reasoning: text,
            reasoning_details: z.array(z.unknown()).nullish(),
            tool_calls: z.array(z.looseObject({})).nullish(),
          })
          .nullish(),
        logprobs: z.object({ content: z.array(z.unknown()).nullish() }).nullish(),
        // Moonshot counts here.
        usage: z.unknown().optional(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
  // Groq counts here.
  x_groq: z.object({ usage: z.unknown().optional() }).nullish(),
})

type Chunk = z.output<typeof chunk>
type Delta = NonNullable<NonNullable<NonNullable<Chunk['choices']>[number]>['delta']>

/** A chat completion that comes in pieces, put together to what would have come in one. */
export class StreamedChat implements StreamedAnswer {
  readonly #endpoint: Endpoint
  readonly #texts: Partial<Record<'refusal' | 'reasoning_content' | 'reasoning', string>> = {}
  /** Null where the answer began without any, undefined where it did not begin. */
  #content: string | readonly unknown[] | null | undefined
  readonly #toolCalls: ToolCallPiece[] = []
  readonly #logprobs: unknown[] = []
  readonly #details: unknown[] = []
  #finish: string | null = null
  #usage: unknown
  #error: unknown
  #hasChoice = false
  #isDone = false

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint
  }

  take(event: ServerEvent): boolean {
    if (event.data.trim() === '[DONE]') {
      this.#isDone = true
      return false
    }
    const value = eventJson(event, this.#endpoint)
    const error = field(value, 'error') ?? (event.type === 'error' ? value : undefined)
    if (error !== undefined) {
      this.#error ??= error
      return false
    }
    const { data } = chunk.safeParse(value)
    if (data === undefined) throw malformed(`sent no piece of a chat: ${shownText(event.data, this.#endpoint)}`)
    return this.#add(data)
  }

  /** @throws AttemptError where it ended without a reason to finish and without the word for the end. */
  end(): string {
    if (this.#error !== undefined) return JSON.stringify({ error: this.#error })
    if (!this.#isDone && this.#finish === null) throw cutStream()
    return JSON.stringify({ choices: this.#hasChoice ? [this.#choice()] : [], usage: this.#usage ?? null })
  }

  #add({ choices, usage, x_groq: groq }: Chunk): boolean {
    const choice = choices?.find(({ index }) => (index ?? 0) === 0)
    this.#usage = usage ?? choice?.usage ?? groq?.usage ?? this.#usage
    if (choice === undefined) return false
    this.#hasChoice = true
    this.#finish = choice.finish_reason ?? this.#finish
    this.#logprobs.push(...(choice.logprobs?.content ?? []))
    return choice.delta == null ? false : this.#addDelta(choice.delta)
  }

  #addDelta(delta: Delta): boolean {
    const { role, content, tool_calls: calls } = delta
    let hasText = (calls ?? []).length > 0
    if (role != null) this.#content ??= null
    if (content != null) {
      this.#content = joined(this.#content, content)
      hasText ||= content.length > 0
    }
    for (const name of ['refusal', 'reasoning_content', 'reasoning'] as const) {
      const piece = delta[name]
      if (piece == null) continue
      this.#texts[name] = (this.#texts[name] ?? '') + piece
      hasText ||= piece !== ''
    }
    this.#toolCalls.push(...(calls ?? []))
    this.#details.push(...(delta.reasoning_details ?? []))
    return hasText
  }

  #choice(): object {
    const calls = joinToolCalls(this.#toolCalls)
    return {
      index: 0,
      finish_reason: this.#finish,
      message: {
        role: 'assistant',
        content: this.#content,
        ...this.#texts,
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
        ...(this.#details.length === 0 ? {} : { reasoning_details: joinDetails(this.#details) }),
      },
      ...(this.#logprobs.length === 0 ? {} : { logprobs: { content: this.#logprobs } }),
    }
  }
}

/** A text, or a list of parts where one came: Mistral's reasoning models mix both. */
function joined(before: string | readonly unknown[] | null | undefined, piece: string | readonly unknown[]) {
  if (before == null) return piece
  if (typeof before === 'string' && typeof piece === 'string') return before + piece
  return [...partsOf(before), ...partsOf(piece)]
}

const partsOf = (content: string | readonly unknown[]): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content
