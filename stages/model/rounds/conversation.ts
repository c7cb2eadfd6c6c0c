import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { sha256 } from '../../../cache/digest.js'
import { answerDigest } from '../../../cache/keys.js'
import type { ChatMessage, GenerationKwargs, Input, ResponseBody, ResponseMeta, Usage } from '../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../model.js'
import type { StoredStep, Ledger, StepResult } from './ledger.js'

/** A message of a conversation, with the times and tokens of the answer or the tool call that it came from. */
export interface KeptTurn {
  readonly message: ChatMessage
  readonly meta?: ResponseMeta
}

/** A conversation from its first question on. Each part of it is committed before the next begins. */
export class Conversation {
  readonly #request: ModelRequest
  readonly #ledger: Ledger
  readonly #ask: (request: ModelRequest) => Promise<ModelAnswer>
  readonly #turns: KeptTurn[] = []
  /** Actions since the last answer, by their positions. */
  readonly #actions = new Map<string, ResponseMeta>()
  readonly #reasoning: string[] = []
  /** All messages that a model was shown, which tells new messages from known ones. */
  #heard: readonly ChatMessage[]
  #digest: string = sha256('')
  #usage: Usage | undefined
  #earlierMs = 0
  #hasProgressed = false

  constructor(request: ModelRequest, ledger: Ledger, ask: (request: ModelRequest) => Promise<ModelAnswer>) {
    this.#request = request
    this.#ledger = ledger
    this.#ask = ask
    this.#heard = request.input.messages
  }

  /** True if this attempt has committed a new part. */
  get hasProgressed(): boolean {
    return this.#hasProgressed
  }

  /** The messages and tool results after the first question. */
  get turns(): readonly KeptTurn[] {
    return this.#turns
  }

  /** Sends these messages, which are all that the model is shown, and returns the answer. */
  async ask(messages: readonly ChatMessage[]): Promise<ResponseBody> {
    this.#hear(messages)
    const { input, sample } = this.#request
    const round: Input = {
      type: 'generate_until',
      messages,
      ...(input.tools === undefined ? {} : { tools: input.tools }),
    }
    const request = { input: round, generation: this.#generation(), sample }
    const keptAnswer = await this.#ledger.round(request, () => this.#ask(request))
    this.#count(keptAnswer)
    const { body } = keptAnswer
    this.#digest = sha256(`${this.#digest} ${answerDigest(body).key}`)
    if (body.reasoning !== undefined) this.#reasoning.push(body.reasoning)
    this.#say(makeAssistantMessage(body), keptAnswer.meta)
    return body
  }

  /** Performs an action once, such as a tool call, after the answers so far. `at` is its position among the actions. */
  async step(at: string, make: () => Promise<StepResult>): Promise<ResponseBody> {
    const of = this.#ledger.keyOf(this.#request)
    const keptAnswer = await this.#ledger.step({ of, at, after: this.#digest }, this.#request.sample, make)
    this.#count(keptAnswer)
    this.#actions.set(at, keptAnswer.meta)
    return keptAnswer.body
  }

  /** Commits that an action begins. @returns false if it was begun before, whatever its result */
  async isFirst(at: string): Promise<boolean> {
    const of = this.#ledger.keyOf(this.#request)
    const makeEmptyStep = () => Promise.resolve({ text: '' })
    const { isEarlier } = await this.#ledger.step({ of, at, after: this.#digest }, this.#request.sample, makeEmptyStep)
    return !isEarlier
  }

  /** Makes the answer of the conversation. `last` is the last round's answer, `changes` replaces fields of it. */
  answer(last: ResponseBody, changes: Partial<ResponseBody> = {}): ModelAnswer {
    const { text, finishReason, rawFinishReason } = last
    return {
      body: {
        text,
        finishReason,
        ...(rawFinishReason === undefined ? {} : { rawFinishReason }),
        ...(this.#reasoning.length === 0 ? {} : { reasoning: this.#reasoning.join('\n\n') }),
        transcript: this.#turns.map(({ message }) => message),
        ...changes,
      },
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      earlierMs: this.#earlierMs,
    }
  }

  /** Removes generation kwargs that only the conversation needs. */
  #generation(): ModelRequest['generation'] {
    const { generation } = this.#request
    return 'max_agentic_steps' in generation ? withoutSteps(generation) : generation
  }

  #count({ meta, isEarlier }: StoredStep): void {
    if (isEarlier) this.#earlierMs += meta.durationMs
    else this.#hasProgressed = true
    if (meta.usage !== undefined) this.#usage = sumUsage(this.#usage ?? {}, meta.usage)
  }

  /** Adds new messages to the transcript. A prompt that continues the transcript adds only its end. */
  #hear(messages: readonly ChatMessage[]): void {
    const goesOn = this.#heard.every((message, index) => isSame(message, messages[index]))
    const fresh = goesOn ? messages.slice(this.#heard.length) : messages
    let calls = 0
    for (const message of fresh) {
      const meta = message.role === 'tool' ? this.#actions.get(formatCallPosition(calls++)) : undefined
      this.#turns.push({ message, ...(meta && { meta }) })
    }
    this.#heard = messages
  }

  #say(message: ChatMessage, meta: ResponseMeta): void {
    this.#turns.push({ message, meta })
    this.#actions.clear()
    this.#heard = [...this.#heard, message]
  }
}

/** The position of a tool call among the actions after an answer. */
export const formatCallPosition = (index: number): string => `call ${index}`

const withoutSteps = (generation: GenerationKwargs): GenerationKwargs =>
  Object.fromEntries(Object.entries(generation).filter(([name]) => name !== 'max_agentic_steps'))

/** Converts an answer to the assistant's message for the next round. */
export function makeAssistantMessage({ text, toolCalls, turn }: ResponseBody): ChatMessage {
  return {
    role: 'assistant',
    content: text === '' && toolCalls !== undefined ? [] : [{ type: 'text', text }],
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(turn === undefined ? {} : { turn }),
  }
}

const isSame = (a: ChatMessage, b: ChatMessage | undefined): boolean =>
  b !== undefined && formatCanonical(a) === formatCanonical(b)

// The cast is safe because messages hold only JSON: interfaces lack the index signature that `Json` needs.
const formatCanonical = (message: object): string => canonicalJson(message as Json)

export function sumUsage(a: Usage, b: Usage): Usage {
  const names = ['inputTokens', 'outputTokens', 'reasoningTokens', 'cachedTokens', 'audioTokens'] as const
  return Object.fromEntries(
    names.flatMap(name => {
      const [count, otherCount] = [a[name], b[name]]
      return count === undefined && otherCount === undefined ? [] : [[name, (count ?? 0) + (otherCount ?? 0)]]
    }),
  )
}
