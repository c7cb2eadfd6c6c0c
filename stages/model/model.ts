import { storedText } from '../../base/errors/option-words.js'
import type { FailureClass, GenerationKwargs, Input, ResponseBody, Usage } from '../../cache/records.js'

/** One request as a backend sees it. */
export interface ModelRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
  /** The sample index: 0 … repeats−1. */
  readonly sample: number
}

/** The result of one successful attempt. */
export interface ModelAnswer {
  readonly body: ResponseBody
  /** The bytes of media that the model made, in their order. They are stored, and `body.content` then names them. */
  readonly media?: readonly Uint8Array[] | undefined
  readonly usage?: Usage | undefined
  /** The name of the model that the server says answered. */
  readonly served?: string | undefined
  /** The milliseconds of earlier attempts whose results are stored. */
  readonly earlierMs?: number
}

/** Thrown if the rest of an answer is left for later. It is not a failure, and finished parts are stored. */
export class LeftForLater extends Error {
  override readonly name = 'LeftForLater'
}

/** A server's limit on something in a period, as far as the server states it. */
export interface RateLimit {
  readonly limit?: number
  readonly remaining?: number
  /** The milliseconds until the limit is reset. */
  readonly resetMs?: number
}

/** The limits for this account and model that a server states with an answer or a rate limit. */
export interface RateLimits {
  readonly requests?: RateLimit
  readonly tokens?: RateLimit
}

/** The progress of an attempt, reported when it happens. The listener reads the clock. */
export type AttemptProgress =
  /** A connection is ready: a new one, or a reused one. */
  | { readonly type: 'connected'; readonly isReused: boolean }
  /** This many more bytes of the request were passed to the connection. */
  | { readonly type: 'sent'; readonly bytes: number }
  /** The first text arrived. Not reported for an answer in one piece. */
  | { readonly type: 'first-token' }
  | { readonly type: 'received'; readonly bytes: number }
  | { readonly type: 'limits'; readonly limits: RateLimits }
  /** The server named the model that answered. */
  | { readonly type: 'served'; readonly model: string }

/** Listens to the progress of one attempt. */
export type AttemptWatch = (progress: AttemptProgress) => void

/** Controls an attempt that sends several consecutive requests. */
export interface FurtherRequests {
  /** Reports that the last request was answered. */
  answered(usage: Usage | undefined): void
  /** Resolves when the next request may be sent. @throws LeftForLater if nothing more must begin */
  next(request: ModelRequest): Promise<void>
}

/** An opened model. It makes single attempts. Retries, rate limits, caching and progress are handled by the caller. */
export interface Model {
  /** @param further called by a model that sends more than one request */
  answer(
    request: ModelRequest,
    signal: AbortSignal,
    watch?: AttemptWatch,
    further?: FurtherRequests,
  ): Promise<ModelAnswer>
  close?(): Promise<void>
  /** The two steps of `answer` of a model that is sent other media than its requests name, such as frames of a video. */
  readonly showing?: Showing
}

/** Sends requests in two steps, so that the sent media are known before sending. */
export interface Showing {
  /** Replaces media by the media that are sent, such as frames of a video. */
  readonly show: (request: ModelRequest, signal: AbortSignal) => Promise<ModelRequest>
  /** Sends a request whose media were replaced. */
  readonly send: Model['answer']
}

/** Wraps a model so that media of its requests are replaced by others. */
export function showingModel(inner: Model, replace: Showing['show']): Model {
  const { show, send } = inner.showing ?? { show: undefined, send: inner.answer.bind(inner) }
  const showAll: Showing['show'] = async (request, signal) => {
    const replaced = await replace(request, signal)
    return show === undefined ? replaced : show(replaced, signal)
  }
  return {
    ...inner,
    showing: { show: showAll, send },
    answer: async (request, signal, ...others) => send(await showAll(request, signal), signal, ...others),
  }
}

/** Wraps the calls of a model that send something. */
export const wrapSending = (model: Model, wrap: (send: Model['answer']) => Model['answer']): Model => ({
  ...model,
  answer: wrap(model.answer.bind(model)),
  ...(model.showing && { showing: { ...model.showing, send: wrap(model.showing.send) } }),
})

/** A problem that must be solved before any request can be answered. */
export interface AccessFailure {
  /** `target`: the address or the model's name is wrong. `connection`: no server answers at the address. */
  readonly about: 'key' | 'account' | 'target' | 'connection'
  /** The server's message, without advice. */
  readonly said?: string
  /** The environment variable for the key. */
  readonly keyVariable?: string
  /** True if a key was sent. */
  readonly hasKey?: boolean
}

/**
 * Thrown by a backend when an attempt failed. A PipelineError ends the run instead: no request can be answered until
 * the user solves the problem. A TypeError or ReferenceError in a plugin's own line is not retried. Any other error
 * counts as `server` and is retried.
 */
export class AttemptError extends Error {
  override readonly name = 'AttemptError'
  readonly class: FailureClass
  /** True if the same request may succeed later. */
  readonly isRetryable: boolean
  /** The wait that the server asks for, in milliseconds. */
  readonly retryAfter: number | undefined
  /** True if a part of the answer was committed before the failure. It then does not count as a repeated failure. */
  readonly hasProgressed: boolean
  /** Set if key, address or model are wrong, or the account has no credit. Every other request would then fail, too. */
  readonly access: AccessFailure | undefined
  /** True if the server was unreachable, so that the request was not sent. */
  readonly isUnreachable: boolean
  /** The tokens that the server counted and bills in spite of the failure. */
  readonly usage: Usage | undefined

  constructor(
    failureClass: FailureClass,
    message: string,
    options: {
      isRetryable: boolean
      retryAfter?: number | undefined
      hasProgressed?: boolean
      access?: AccessFailure | undefined
      isUnreachable?: boolean
      usage?: Usage | undefined
      cause?: unknown
    },
  ) {
    // It is stored as the reason of a failure.
    super(storedText(message), { cause: options.cause })
    this.class = failureClass
    this.isRetryable = options.isRetryable
    this.retryAfter = options.retryAfter
    this.hasProgressed = options.hasProgressed ?? false
    this.access = options.access
    this.isUnreachable = options.isUnreachable ?? false
    this.usage = options.usage
  }

  get isAccess(): boolean {
    return this.access !== undefined
  }
}
