import type { Holder } from '../../../../cache/store.js'
import type { RateLimits } from '../../model.js'
import type { SearchState } from './limit-search.js'
import type { Send, SendResult } from './sends.js'

/** Why nothing is sent for a while. Times are milliseconds of the scheduler's clock. */
export interface Standstill {
  /**
   * `outage`: nobody answers at the address. `limit`: the server asks to wait. `retry`: everything left waits for its retry.
   * `others`: other processes hold the leases of everything left.
   */
  readonly why: 'outage' | 'limit' | 'retry' | 'others'
  /** The last message of the server, or about the connection. */
  readonly message: string
  readonly since: number
  /** When something is sent again, where that is known. */
  readonly until: number
  /** The other processes. */
  readonly holders?: readonly Holder[]
}

/** What the next process may know of a server. */
export interface LimiterState {
  readonly concurrency?: SearchState
  readonly pace?: SearchState
}

/** The limiter that clients share: one for all requests of this process to one model of one account. */
export interface Limiter {
  /** The maximum of requests in flight, now. */
  readonly limit: number
  readonly inFlight: number
  /** How many requests were refused for a limit so far. */
  readonly throttled: number
  /** When something last came back that was not refused for a limit, whether answered or failed in another way. */
  readonly admittedAt: number | undefined
  /** Whether the server has refused everything for longer than a window of a minute explains. */
  readonly isClosed: boolean
  /** Milliseconds left of the wait that the server asked for. */
  readonly pauseMs: number
  /** Why nothing is sent now, where the server is the reason. */
  readonly standstill: Standstill | undefined
  readonly state: LimiterState
  /** Milliseconds until whoever holds a slot may send its next request. */
  readonly paceMs: number
  /** Milliseconds until a client may send its next request. Infinity: when another request has ended. */
  waitFor(client: LimiterClient): number
  /** Takes a slot and sends a request in it. */
  enter(): Send
  /** Sends a further request in a slot that is held, after the one before has ended. */
  again(): Send
  /** Takes note of the limits that the server stated with the answer to a request. */
  learn(send: Send, limits: RateLimits): void
  /** Takes note that somebody took a connection: other requests need not wait for this one's answer. */
  reached(): void
  /** Takes note of how a request ended. Its slot is held until {@link leave}: until its answer is durable. */
  end(send: Send, result: SendResult): void
  leave(): void
}

/** One loop's access to a limiter that others may use, too. */
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

  /** Whether it has a request to send, and no slot for it. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Milliseconds until a request may be sent; Infinity: when another one has ended. Read only when there is one to send. */
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

  /** Says that it has nothing to send any more. */
  rest(): void {
    this.#isWaiting = false
  }

  /** Gives up its slots, with what is in flight. */
  quit(): void {
    this.#isWaiting = false
    this.#quit()
    while (this.#inFlight > 0) this.leave()
  }
}
