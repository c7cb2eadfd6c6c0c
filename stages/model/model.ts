import type { FailureClass, GenerationKwargs, Input, ResponseBody, Usage } from '../../cache/records.js'

/** One request as a backend sees it. */
export interface ModelRequest {
  readonly input: Input
  readonly generation: GenerationKwargs
  /** 0 … repeats−1. */
  readonly sample: number
}

/** What a backend gives back for one attempt that was answered. */
export interface ModelAnswer {
  readonly body: ResponseBody
  readonly usage?: Usage | undefined
  /** Milliseconds that parts of it took in attempts before this one, which were kept. */
  readonly earlierMs?: number
}

/** Thrown where the rest of an answer is left for another time: nothing has failed, and what there is of it is kept. */
export class LeftForLater extends Error {
  override readonly name = 'LeftForLater'
}

/** How much of something a server grants in a time, as far as it says. */
export interface RateLimit {
  readonly limit?: number
  readonly remaining?: number
  /** Milliseconds until all of it is granted again. */
  readonly resetMs?: number
}

/** What a server says of its limits with an answer or a refusal; of this account and model. */
export interface RateLimits {
  readonly requests?: RateLimit
  readonly tokens?: RateLimit
}

/** Progress of an attempt, reported at the moment when it happens: the listener has the clock. */
export type AttemptProgress =
  /** There is a socket for it; one that was there already, or a new one. */
  | { readonly type: 'connected'; readonly isReused: boolean }
  /** This many more bytes of the request are on their way. */
  | { readonly type: 'sent'; readonly bytes: number }
  /** The first piece of text came. Not known where an answer comes in one piece. */
  | { readonly type: 'first-token' }
  | { readonly type: 'received'; readonly bytes: number }
  | { readonly type: 'limits'; readonly limits: RateLimits }

/** Listens to one attempt. */
export type AttemptWatch = (progress: AttemptProgress) => void

/** Controls an attempt that sends several requests, one after another. */
export interface FurtherRequests {
  /** The one that was sent last was answered. */
  answered(usage: Usage | undefined): void
  /** Resolves when the next may be sent. @throws LeftForLater where nothing more is to be begun */
  next(request: ModelRequest): Promise<void>
}

/** An opened model. It makes one attempt and says what happened; retry, pace, cache and progress are not its own. */
export interface Model {
  /** @param further told and asked by a model that sends more than one request */
  answer(
    request: ModelRequest,
    signal: AbortSignal,
    watch?: AttemptWatch,
    further?: FurtherRequests,
  ): Promise<ModelAnswer>
  close?(): Promise<void>
}

/** What must be mended before any request can be answered. */
export interface AccessFailure {
  /** `target`: the address or the model's name. `connection`: no server answers at the address. */
  readonly about: 'key' | 'account' | 'target' | 'connection'
  /** What the server answered, without advice. */
  readonly said?: string
  /** The environment variable that holds the key. */
  readonly keyVariable?: string
  /** Whether a key was sent. */
  readonly hasKey?: boolean
}

/**
 * Thrown by a backend when an attempt failed. A PipelineError ends the run: no request can be answered before somebody
 * mends what it says. A TypeError or ReferenceError of a plugin's own line is not tried again; anything else counts as
 * `server`, to be tried again.
 */
export class AttemptError extends Error {
  override readonly name = 'AttemptError'
  readonly class: FailureClass
  /** Whether the same request may well succeed later. */
  readonly isRetryable: boolean
  /** Milliseconds that the server asks to wait. */
  readonly retryAfter: number | undefined
  /** Whether a part of the answer was made durable before it failed, so that this is no second failure at the same. */
  readonly hasProgressed: boolean
  /** Set where key, address or model are wrong, or the account is used up, so that every other request would fail, too. */
  readonly access: AccessFailure | undefined
  /** Whether nobody was reached at all: the request was not sent. */
  readonly isUnreachable: boolean
  /** What the server counted nevertheless, and bills. */
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
    super(message, { cause: options.cause })
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
