import { z } from 'zod'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { field, makeMalformedError, shownText, tryParseJson } from '../http/protocol/failure.js'
import { cutStream, eventJson, type StreamedAnswer } from '../http/protocol/protocol.js'
import type { ServerEvent } from '../http/wire/event-stream.js'
import { findBareError } from './failure.js'

const text = z.string().nullish()

/** The fields of a streamed chunk that are read. */
const chunk = z.object({
  model: text,
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
            images: z.array(z.unknown()).nullish(),
            audio: z.object({ data: text, transcript: text }).nullish(),
          })
          .nullish(),
        logprobs: z.object({ content: z.array(z.unknown()).nullish() }).nullish(),
        // Moonshot puts the token counts here.
        usage: z.unknown().optional(),
      }),
    )
    .nullish(),
  usage: z.unknown().optional(),
  // Groq puts the token counts here.
  x_groq: z.object({ usage: z.unknown().optional() }).nullish(),
})

type Chunk = z.output<typeof chunk>
type Delta = NonNullable<NonNullable<NonNullable<Chunk['choices']>[number]>['delta']>

/** Assembles a streamed chat completion into what the server would have sent without streaming. */
export class StreamedChat implements StreamedAnswer {
  readonly #endpoint: Endpoint
  readonly #texts: Partial<Record<'refusal' | 'reasoning_content' | 'reasoning', string>> = {}
  /** The content so far. Null if the answer began without content, undefined before it began. */
  #content: string | readonly unknown[] | null | undefined
  readonly #toolCalls: ToolCallPiece[] = []
  readonly #logprobs: unknown[] = []
  readonly #details: unknown[] = []
  readonly #images: unknown[] = []
  /** The pieces of a sound. Each is base64 of its own. */
  readonly #sound: Buffer[] = []
  #transcript = ''
  #finish: string | null = null
  #model: string | undefined
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
    const error = field(value, 'error') ?? (event.type === 'error' ? value : findBareError(value))
    if (error !== undefined) {
      this.#error ??= error
      return false
    }
    const { data } = chunk.safeParse(value)
    if (data === undefined)
      throw makeMalformedError(`sent no piece of a chat: ${shownText(event.data, this.#endpoint)}`)
    return this.#add(data)
  }

  /** @throws AttemptError if the stream ended without a finish reason and without `[DONE]` */
  end(): string {
    if (this.#error !== undefined) return JSON.stringify({ error: this.#error })
    if (!this.#isDone && this.#finish === null) throw cutStream()
    return JSON.stringify({
      model: this.#model,
      choices: this.#hasChoice ? [this.#choice()] : [],
      usage: this.#usage ?? null,
    })
  }

  #add({ choices, usage, model, x_groq: groq }: Chunk): boolean {
    this.#model ??= model ?? undefined
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
      this.#content = joinContent(this.#content, content)
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
    this.#images.push(...(delta.images ?? []))
    if (delta.audio?.data != null) this.#sound.push(Buffer.from(delta.audio.data, 'base64'))
    this.#transcript += delta.audio?.transcript ?? ''
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
        ...(this.#images.length === 0 ? {} : { images: this.#images }),
        ...(this.#sound.length === 0
          ? {}
          : { audio: { data: Buffer.concat(this.#sound).toString('base64'), transcript: this.#transcript } }),
      },
      ...(this.#logprobs.length === 0 ? {} : { logprobs: { content: this.#logprobs } }),
    }
  }
}

/** Joins texts, or lists of parts: Mistral's reasoning models send both. */
function joinContent(before: string | readonly unknown[] | null | undefined, piece: string | readonly unknown[]) {
  if (before == null) return piece
  if (typeof before === 'string' && typeof piece === 'string') return before + piece
  return [...convertToParts(before), ...convertToParts(piece)]
}

const convertToParts = (content: string | readonly unknown[]): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

/** A tool call or a part of one, as streamed. */
type ToolCallPiece = Readonly<Record<string, unknown>>

const piece = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  type: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
})

/** A tool call with all other fields that the server sent. */
interface JoinedCall extends Record<string, unknown> {
  id: string | undefined
  readonly function: { name: string; arguments: string }
}

/** A call while its parts arrive, with the index of its first part. */
interface OpenCall {
  readonly index: number | undefined
  readonly call: JoinedCall
}

/**
 * Joins the streamed parts of tool calls. OpenAI sends the id and the name in the first part of a call, and the `index` in each. Other servers send the same
 * index for all calls (Ollama), no index, an id in each part that is the same or a new one (vLLM up to 0.6), no id, or the name in each part.
 *
 * @throws AttemptError for any other input
 */
function joinToolCalls(pieces: readonly ToolCallPiece[]): readonly JoinedCall[] {
  const calls: OpenCall[] = []
  for (const each of pieces) {
    const { data } = piece.safeParse(each)
    if (data === undefined) throw makeMalformedError('called a tool in a form that is not known')
    const { index, id, function: called, ...others } = data
    const part = { index: index ?? undefined, id: id || undefined, name: called?.name ?? '' }
    let open = findOpenCall(calls, part)
    if (open === undefined) {
      open = { index: part.index, call: { id: undefined, function: { name: '', arguments: '' } } }
      calls.push(open)
    }
    const { call } = open
    for (const [name, value] of Object.entries(others)) if (value != null) call[name] = value
    call.id ??= part.id
    // A name that comes again is not a further part of it.
    if (part.name !== call.function.name) call.function.name += part.name
    call.function.arguments += convertToText(called?.arguments)
  }
  const place = ({ index }: OpenCall, at: number): number => index ?? at
  return calls
    .map((open, at) => ({ call: open.call, place: place(open, at) }))
    .sort((one, other) => one.place - other.place)
    .map(({ call }) => call)
}

/** Finds the call that a part continues. @returns undefined if the part begins a call */
function findOpenCall(
  calls: readonly OpenCall[],
  { index, id, name }: { readonly index: number | undefined; readonly id: string | undefined; readonly name: string },
): OpenCall | undefined {
  const isAt = (open: OpenCall): boolean => index === undefined || open.index === undefined || open.index === index
  const same = id === undefined ? undefined : calls.findLast(open => open.call.id === id && isAt(open))
  if (same !== undefined) return same
  const last = index === undefined ? calls.at(-1) : calls.findLast(open => open.index === index)
  // Arguments alone cannot begin a call.
  if (last === undefined) return id === undefined && name === '' ? calls.at(-1) : undefined
  if (name === '') return id !== undefined && index === undefined && last.call.id !== undefined ? undefined : last
  const { call } = last
  const isOther = id !== undefined && call.id !== undefined
  const isComplete = call.function.name !== '' && tryParseJson(call.function.arguments) !== undefined
  return isOther || isComplete ? undefined : last
}

/** Converts arguments to text. Some servers send them as an object, in one piece. */
function convertToText(value: unknown): string {
  if (value == null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const detail = z.looseObject({
  type: z.string(),
  index: z.number().nullish(),
  text: z.string().nullish(),
  summary: z.string().nullish(),
})

/**
 * Joins the streamed parts of OpenRouter's reasoning details. Texts and summaries of one type and index are
 * concatenated. Other entries (a signature, encrypted data) arrive complete. Unknown forms are kept unchanged.
 */
export function joinDetails(pieces: readonly unknown[]): readonly unknown[] {
  const joined: unknown[] = []
  let last: z.output<typeof detail> | undefined
  for (const each of pieces) {
    const { data } = detail.safeParse(each)
    if (data !== undefined && last?.type === data.type && last.index === data.index && isText(data)) {
      last = Object.assign(last, data, {
        ...(data.text == null && last.text == null ? {} : { text: (last.text ?? '') + (data.text ?? '') }),
        ...(data.summary == null && last.summary == null
          ? {}
          : { summary: (last.summary ?? '') + (data.summary ?? '') }),
      })
      continue
    }
    last = data === undefined ? undefined : { ...data }
    joined.push(last ?? each)
  }
  return joined
}

const isText = ({ type }: z.output<typeof detail>): boolean => type === 'reasoning.text' || type === 'reasoning.summary'
