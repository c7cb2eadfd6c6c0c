import type { Usage } from '../../../../cache/records.js'
import type { Ending } from '../../budget/gate.js'
import { LeftForLater, type FurtherRequests, type ModelRequest, type RateLimits } from '../../define-backend.js'
import { pause } from '../../batch/pause.js'
import type { AskOptions, Copy } from './ask-once.js'
import type { SendResult } from '../limits/adaptive-limiter.js'

/** How long it is not looked whether the budget has room for what comes next. Milliseconds. */
const pollMs = 50

/**
 * The requests that one attempt sends: mostly one; for an answer of several rounds one after another, each of which waits for the
 * pace and for the budget like any other, in the slot that the attempt holds. Between two of them nothing is reserved, so that
 * those that wait for room do not wait for each other.
 */
export class AttemptRequests implements FurtherRequests {
  readonly #options: AskOptions
  #current: Copy
  #isUnderWay = true
  #isTold = false

  /** @param first was let through already */
  constructor(first: Copy, options: AskOptions) {
    this.#current = first
    this.#options = options
  }

  learn(limits: RateLimits): void {
    this.#options.share.learn(this.#current.send, limits)
  }

  answered(usage: Usage | undefined): void {
    const tokens = usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
    this.tell({ type: 'answered', usage })
    this.ended({ type: 'answered', tokens })
  }

  /** Nothing came of the one that was sent last, if it is under way: as if it had not been sent. */
  breakOff(): void {
    this.tell({ type: 'broken-off' })
    this.ended({ type: 'broken-off' })
  }

  /** Tells the traffic how the one ended that was sent last; where that was told, nothing. */
  ended(result: SendResult): void {
    if (this.#isUnderWay) this.#options.share.end(this.#current.send, result)
    this.#isUnderWay = false
  }

  /** Tells the budget how the attempt ended, or one of its requests. */
  tell(ending: Ending): void {
    const { ticket } = this.#current
    if (this.#isTold) {
      // What goes wrong between two requests.
      if (ending.type === 'failed') this.#options.gate?.failed?.(ending)
    } else ticket?.(ending)
    this.#isTold = true
  }

  async next(request: ModelRequest): Promise<void> {
    const { share, gate, clock, drain, signal } = this.#options
    for (;;) {
      if (drain.aborted || signal.aborted) throw new LeftForLater('interrupted between two rounds')
      const wait = share.paceMs
      const ticket = wait > 0 ? undefined : gate?.admit(request)
      if (wait === 0 && (gate === undefined || ticket !== undefined)) {
        this.#current = { send: share.again(), ticket }
        this.#isUnderWay = true
        this.#isTold = false
        return
      }
      await pause(wait > 0 ? Math.ceil(wait) : pollMs, { clock, drain, stop: signal })
    }
  }
}
