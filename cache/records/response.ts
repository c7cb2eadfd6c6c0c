/** What a model answered, and what is kept beside it. */
import type { Json } from '../../base/values/canonical-json.js'
import type { ChatMessage, ContentPart, ToolCall } from './messages.js'

/** What a model answered to one request. A failure is not an answer; an empty text is. */
export interface ResponseBody {
  /** As generated, reasoning apart. Empty for log-likelihoods. */
  readonly text: string
  readonly finishReason: 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'unknown'
  /** What the server called it, where that is another word. */
  readonly rawFinishReason?: string | undefined
  readonly reasoning?: string | undefined
  /** Natural logarithm, summed over the continuation's tokens. */
  readonly logprob?: number | undefined
  /** Tokens of the continuation. */
  readonly continuationTokens?: number | undefined
  /** Whether greedy decoding would have given the continuation. */
  readonly isGreedy?: boolean | undefined
  /** What the model wants done before it goes on. */
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** With `toolCalls`: the turn as its provider wrote it and wants it back. */
  readonly turn?: Json | undefined
  /** Of several rounds that a task leads: the answers that are judged, as its function left them. */
  readonly outputs?: readonly string[] | undefined
  /** Of several rounds: all that was said after the first question, and done. */
  readonly transcript?: readonly ChatMessage[] | undefined
  /** Of a step: media that came of it, beside its text. */
  readonly content?: readonly ContentPart[] | undefined
}

export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly cachedTokens?: number | undefined
  /** Of the input, sound: where the provider counts it apart and there is some. */
  readonly audioTokens?: number | undefined
}

/** Where the time of one request went, and what it moved. Milliseconds and bytes; what was not seen is absent. */
export interface Timing {
  /** From when it could have been sent to when it was: for want of a slot or because of a limit. */
  readonly queueMs?: number | undefined
  /** From sending to having a socket; absent where one was there. */
  readonly connectMs?: number | undefined
  /** From sending to the first piece of the answer's text, where it comes in pieces. */
  readonly firstTokenMs?: number | undefined
  /** From the first attempt to the one that was answered: failed attempts, and the waits between them. */
  readonly retryWaitMs?: number | undefined
  /** Of its duration, what rounds took that were answered in an attempt before, perhaps of another process. */
  readonly earlierMs?: number | undefined
  /** Of the attempt that was answered. */
  readonly sentBytes?: number | undefined
  readonly receivedBytes?: number | undefined
  /** Attempts that were refused for a limit. */
  readonly throttled?: number | undefined
}

/** What is kept beside a response and is no part of it: two machines may differ in it. */
export interface ResponseMeta {
  readonly usage?: Usage | undefined
  readonly timing?: Timing | undefined
  /** Milliseconds of the attempt that was answered. */
  readonly durationMs: number
  /** Sent one after another. */
  readonly attempts: number
  /** Further copies that were sent while an attempt was under way. */
  readonly hedges?: number | undefined
  /** Whether one of these was answered first. */
  readonly isHedgeFirst?: boolean | undefined
  /** Milliseconds since 1970, when it was answered. */
  readonly answeredAt: number
  /** The commit that the program was built from, and whether the tree had changes. */
  readonly commit?: string | undefined
  readonly dirty?: boolean | undefined
  /** The first 16 digits of the id of the run that asked, so that its speed is told apart from what others had asked for. */
  readonly run?: string | undefined
  /** Handed in as part of a batch, whose time says nothing of the model's. */
  readonly batch?: true | undefined
}
