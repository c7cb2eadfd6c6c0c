import type { RateLimits } from '../../define-backend.js'
import type { Send } from './sends.js'
import type { SendResult, AdaptiveLimiter } from './adaptive-limiter.js'

/** What one loop has of the traffic to a model: others may send to the same one. */
export class LimiterClient {
  readonly #traffic: AdaptiveLimiter
  readonly #leave: () => void
  readonly onChange: () => void
  #inFlight = 0
  #isWaiting = false

  constructor(
    traffic: AdaptiveLimiter,
    { onChange, leave }: { readonly onChange: () => void; readonly leave: () => void },
  ) {
    this.#traffic = traffic
    this.#leave = leave
    this.onChange = onChange
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether it has a request to send, and no room. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  get limiter(): AdaptiveLimiter {
    return this.#traffic
  }

  /** To be asked when there is a request to send: milliseconds until it may be, Infinity when another one has ended. */
  get waitMs(): number {
    const wait = this.#traffic.waitFor(this)
    this.#isWaiting = wait > 0
    return wait
  }

  enter(): Send {
    this.#inFlight += 1
    this.#isWaiting = false
    return this.#traffic.enter()
  }

  /** As {@link waitMs}, for whoever holds a slot. */
  get paceMs(): number {
    return this.#traffic.paceMs
  }

  /** A further request in a slot that is held. */
  again(): Send {
    return this.#traffic.again()
  }

  learn(send: Send, limits: RateLimits): void {
    this.#traffic.learn(send, limits)
  }

  reached(): void {
    this.#traffic.reached()
  }

  end(send: Send, result: SendResult): void {
    this.#traffic.end(send, result)
  }

  leave(): void {
    if (this.#inFlight === 0) return
    this.#inFlight -= 1
    this.#traffic.leave()
  }

  /** Nothing is waiting to be sent any more. */
  rest(): void {
    this.#isWaiting = false
  }

  /** Gives up its room, with what is still under way. */
  quit(): void {
    this.#isWaiting = false
    this.#leave()
    while (this.#inFlight > 0) this.leave()
  }
}
