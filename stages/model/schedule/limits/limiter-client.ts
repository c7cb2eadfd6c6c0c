import type { Holder } from '../../../../cache/store.js'
import type { RateLimits } from '../../model.js'
import type { Clock } from '../../../../base/time/clock.js'
import type { ConcurrencyBounds } from './concurrency-controller.js'
import type { LimitShare } from './limit-share.js'
import type { SearchState } from './limit-search.js'
import type { Send, SendResult } from './sends.js'

/** The reason why nothing is sent for a while. Times are milliseconds of the scheduler's clock. */
export interface Standstill {
  /**
   * `outage`: the server cannot be reached. `limit`: the server asks to wait. `retry`: all remaining requests wait for
   * their retry. `others`: other processes hold the leases of all remaining requests.
   */
  readonly why: 'outage' | 'limit' | 'retry' | 'others'
  /** The last message of the server, or about the connection. */
  readonly message: string
  readonly since: number
  /** The time when something is sent again, if that is known. */
  readonly until: number
  /** The other processes that hold leases. */
  readonly holders?: readonly Holder[]
}

/** The state of a server's limits that is stored for the next process. */
export interface LimiterState {
  readonly concurrency?: SearchState
  readonly pace?: SearchState
}

export interface LimiterOptions {
  /** A number fixes the number of slots. */
  readonly concurrency: number | ConcurrencyBounds
  readonly clock: Pick<Clock, 'now'>
  readonly from?: LimiterState
  /** The part of this process, if others send to the same model of the same account. */
  readonly share?: LimitShare
  /** Called when the first client joins, and when the last one quits. */
  readonly onUse?: (isUsed: boolean) => void
}

/** The limiter that clients share: one for all requests of this process to one model of one account. */
export interface Limiter {
  /** The current maximum number of requests in flight. */
  readonly limit: number
  readonly inFlight: number
  /** The number of requests that were rate limited so far. */
  readonly throttled: number
  /** The time when a request last ended that was not rate limited, whether it was answered or failed. */
  readonly admittedAt: number | undefined
  /** True if the server has rejected everything for longer than a window of a minute explains. */
  readonly isClosed: boolean
  /** The rest of the wait that the server asked for, in milliseconds. */
  readonly pauseMs: number
  /** The reason why nothing is sent now. Undefined if the server is not the reason. */
  readonly standstill: Standstill | undefined
  readonly state: LimiterState
  /** The milliseconds until the holder of a slot may send its next request. */
  readonly paceMs: number
  /** The milliseconds until a client may send its next request. Infinity: when another request has ended. */
  waitFor(client: LimiterClient): number
  /** Takes a slot and sends a request in it. */
  enter(): Send
  /** Sends a further request in a slot that is held, after the previous one has ended. */
  again(): Send
  /** Learns the limits that the server stated with the answer to a request. */
  learn(send: Send, limits: RateLimits): void
  /** Notes that the server accepted a connection, so that other requests need not wait for this one's answer. */
  reached(): void
  /** Notes how a request ended. Its slot is held until {@link leave}, which comes when the answer is durable. */
  end(send: Send, result: SendResult): void
  leave(): void
}

/** The access of one loop to a limiter, which others may share. */
export class LimiterClient {
  readonly limiter: Limiter
  readonly onChange: () => void
  readonly #quit: () => void
  #inFlight = 0
  #isWaiting = false

  constructor(limiter: Limiter, { onChange, quit }: { readonly onChange: () => void; readonly quit: () => void }) {
    this.limiter = limiter
    this.#quit = quit
    this.onChange = onChange
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** True if it has a request to send and no slot. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** The milliseconds until a request may be sent. Infinity: when another one has ended. Read it only with a request to send. */
  get waitMs(): number {
    const wait = this.limiter.waitFor(this)
    this.#isWaiting = wait > 0
    return wait
  }

  enter(): Send {
    this.#inFlight += 1
    this.#isWaiting = false
    return this.limiter.enter()
  }

  leave(): void {
    if (this.#inFlight === 0) return
    this.#inFlight -= 1
    this.limiter.leave()
  }

  /** Notes that this client has nothing more to send. */
  rest(): void {
    this.#isWaiting = false
  }

  /** Releases its slots, including those of requests in flight. */
  quit(): void {
    this.#isWaiting = false
    this.#quit()
    while (this.#inFlight > 0) this.leave()
  }
}
