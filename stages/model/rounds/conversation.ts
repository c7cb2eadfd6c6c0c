import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { sha256 } from '../../../cache/digest.js'
import { answerDigest } from '../../../cache/keys.js'
import type { ChatMessage, GenerationKwargs, Input, ResponseBody, Usage } from '../../../cache/records.js'
import type { ModelAnswer, ModelRequest } from '../model.js'
import type { Kept, Ledger, StepResult } from './ledger.js'

/** One conversation, from the first question on: what was said and done in it so far. Each part of it is durable. */
export class Conversation {
  readonly #request: ModelRequest
  readonly #ledger: Ledger
  readonly #ask: (request: ModelRequest) => Promise<ModelAnswer>
  readonly #said: ChatMessage[] = []
  readonly #reasoning: string[] = []
  /** All that a model may hear of, to tell what was said already from what is new. */
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

  /** Whether anything became durable that was not before. */
  get hasProgressed(): boolean {
    return this.#hasProgressed
  }

  /** What was said and done after the first question. */
  get said(): readonly ChatMessage[] {
    return this.#said
  }

  /** The answer to these messages, which are all that the model is shown. */
  async ask(messages: readonly ChatMessage[]): Promise<ResponseBody> {
    this.#hear(messages)
    const { input, sample } = this.#request
    const round: Input = {
      type: 'generate_until',
      messages,
      ...(input.tools === undefined ? {} : { tools: input.tools }),
    }
    const request = { input: round, generation: this.#generation(), sample }
    const kept = await this.#ledger.round(request, () => this.#ask(request))
    this.#count(kept)
    const { body } = kept
    this.#digest = sha256(`${this.#digest} ${answerDigest(body).key}`)
    if (body.reasoning !== undefined) this.#reasoning.push(body.reasoning)
    this.#say(turnOf(body))
    return body
  }

  /** Something that is done once for the answers so far, such as to call a tool. `at` is its place among such. */
  async step(at: string, make: () => Promise<StepResult>): Promise<ResponseBody> {
    const of = this.#ledger.keyOf(this.#request)
    const kept = await this.#ledger.step({ of, at, after: this.#digest }, this.#request.sample, make)
    this.#count(kept)
    return kept.body
  }

  /** Makes durable that something is begun. @returns false where it was begun before, whatever became of it */
  async isFirst(at: string): Promise<boolean> {
    const of = this.#ledger.keyOf(this.#request)
    const begun = () => Promise.resolve({ text: '' })
    const { isEarlier } = await this.#ledger.step({ of, at, after: this.#digest }, this.#request.sample, begun)
    return !isEarlier
  }

  /** What came of it all. `last` is the last round's answer, `said` what the conversation as a whole says. */
  answer(last: ResponseBody, said: Partial<ResponseBody> = {}): ModelAnswer {
    const { text, finishReason, rawFinishReason } = last
    return {
      body: {
        text,
        finishReason,
        ...(rawFinishReason === undefined ? {} : { rawFinishReason }),
        ...(this.#reasoning.length === 0 ? {} : { reasoning: this.#reasoning.join('\n\n') }),
        transcript: this.#said,
        ...said,
      },
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      earlierMs: this.#earlierMs,
    }
  }

  /** The model is not told what only the conversation needs. */
  #generation(): ModelRequest['generation'] {
    const { generation } = this.#request
    return 'max_agentic_steps' in generation ? withoutSteps(generation) : generation
  }

  #count({ meta, isEarlier }: Kept): void {
    if (isEarlier) this.#earlierMs += meta.durationMs
    else this.#hasProgressed = true
    if (meta.usage !== undefined) this.#usage = sumUsage(this.#usage ?? {}, meta.usage)
  }

  /** A prompt that goes on from what was said adds its end; another one is new as a whole. */
  #hear(messages: readonly ChatMessage[]): void {
    const goesOn = this.#heard.every((message, index) => isSame(message, messages[index]))
    const fresh = goesOn ? messages.slice(this.#heard.length) : messages
    this.#said.push(...fresh)
    this.#heard = messages
  }

  #say(message: ChatMessage): void {
    this.#said.push(message)
    this.#heard = [...this.#heard, message]
  }
}

const withoutSteps = (generation: GenerationKwargs): GenerationKwargs =>
  Object.fromEntries(Object.entries(generation).filter(([name]) => name !== 'max_agentic_steps'))

/** An answer as the model's turn in a conversation that goes on. */
export function turnOf({ text, toolCalls, turn }: ResponseBody): ChatMessage {
  return {
    role: 'assistant',
    content: text === '' && toolCalls !== undefined ? [] : [{ type: 'text', text }],
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(turn === undefined ? {} : { turn }),
  }
}

const isSame = (a: ChatMessage, b: ChatMessage | undefined): boolean => b !== undefined && textOf(a) === textOf(b)

// Interfaces have no index signature; that messages hold JSON alone is said in records.ts.
const textOf = (message: object): string => canonicalJson(message as Json)

export function sumUsage(a: Usage, b: Usage): Usage {
  const names = ['inputTokens', 'outputTokens', 'reasoningTokens', 'cachedTokens', 'audioTokens'] as const
  return Object.fromEntries(
    names.flatMap(name => {
      const [one, other] = [a[name], b[name]]
      return one === undefined && other === undefined ? [] : [[name, (one ?? 0) + (other ?? 0)]]
    }),
  )
}
