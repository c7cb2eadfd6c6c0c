import type { FailureClass, Usage } from '../../cache/records.js'

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
