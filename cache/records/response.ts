/** Defines responses and the metadata that is stored with them. */
import type { Json } from '../../base/values/canonical-json.js'
import type { ChatMessage, ContentPart, ToolCall } from './messages.js'

/** The answer of a model to one request. An empty text is an answer. A failure is not. */
export interface ResponseBody {
  /** The generated text without reasoning. Empty for log-likelihoods. */
  readonly text: string
  readonly finishReason: 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'unknown'
  /** The server's word for the finish reason, if it differs. */
  readonly rawFinishReason?: string | undefined
  readonly reasoning?: string | undefined
  /** The natural logarithm of the continuation's probability, summed over its tokens. */
  readonly logprob?: number | undefined
  /** The number of tokens in the continuation. */
  readonly continuationTokens?: number | undefined
  /** True if greedy decoding would have produced the continuation. */
  readonly isGreedy?: boolean | undefined
  /** The tool calls that the model requests before it goes on. */
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** Set with `toolCalls`: the message in the provider's own format, for providers that need it back. */
  readonly turn?: Json | undefined
  /** The answers to be judged, of a task with several rounds, as its function returned them. `null` is a round without one. */
  readonly outputs?: readonly (string | null)[] | undefined
  /** The whole conversation after the first request, including tool results, if it had several rounds. */
  readonly transcript?: readonly ChatMessage[] | undefined
  /** The media that the model made, beside its text. */
  readonly content?: readonly ContentPart[] | undefined
}

/** The numbers of tokens that a server reports for a request. */
export interface Usage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly cachedTokens?: number | undefined
  /** The audio tokens of the input, if the provider counts them separately and there are any. */
  readonly audioTokens?: number | undefined
}

/** Holds the times of the parts of one request, and the bytes transferred. Times are in milliseconds. Unknown values are absent. */
export interface Timing {
  /** The time from when the request was ready until it was sent: the wait for a concurrency slot or a rate limit. */
  readonly queueMs?: number | undefined
  /** The time from sending until the connection was established. Absent if a connection was reused. */
  readonly connectMs?: number | undefined
  /** The time from sending until the first piece of the answer's text. Absent if the answer does not arrive as a stream. */
  readonly firstTokenMs?: number | undefined
  /** The time from the first attempt until the start of the answered one: failed attempts and the waits between them. */
  readonly retryWaitMs?: number | undefined
  /** The part of the duration that rounds took in an earlier attempt, perhaps of another process. */
  readonly earlierMs?: number | undefined
  /** The request's size in the attempt that was answered. */
  readonly sentBytes?: number | undefined
  readonly receivedBytes?: number | undefined
  /** The number of attempts that were rate limited. */
  readonly throttled?: number | undefined
}

/** Metadata stored with a response. It is not part of the response: two machines may store different metadata. */
export interface ResponseMeta {
  readonly usage?: Usage | undefined
  /** The model name that the server reported, if it differs from the requested one. */
  readonly served?: string | undefined
  readonly timing?: Timing | undefined
  /** The duration of the attempt that was answered, in milliseconds. */
  readonly durationMs: number
  /** The number of consecutive attempts. */
  readonly attempts: number
  /** The number of hedges: further copies that were sent while an attempt was in flight. */
  readonly hedges?: number | undefined
  /** True if a hedge was answered first. */
  readonly isHedgeFirst?: boolean | undefined
  /** The time at which the request was answered. Milliseconds since 1970. */
  readonly answeredAt: number
  /** The commit that the program was built from, and whether the tree had uncommitted changes. */
  readonly commit?: string | undefined
  readonly dirty?: boolean | undefined
  /** The first 16 digits of the id of the run that sent the request. Speed statistics count only a run's own requests. */
  readonly run?: string | undefined
  /** True if the request was submitted in a batch. Its duration then says nothing about the model's speed. */
  readonly batch?: true | undefined
}
