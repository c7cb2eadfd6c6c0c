import type { Clock } from '../../../../base/time/clock.js'
import type { LimiterClient, Standstill } from '../limits/limiter-client.js'
import type { Backlog } from './backlog.js'

/** Finds the reason why a loop sends nothing now. It remembers since when other processes hold all remaining requests. */
export class StandstillWatch {
  readonly #clock: Pick<Clock, 'now'>
  #othersSince: number | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** @returns undefined if there is no work, or requests are in flight */
  look(
    limiter: Pick<LimiterClient['limiter'], 'standstill'>,
    { queue, retries }: Backlog,
    inFlight: number,
  ): Standstill | undefined {
    const isIdle = inFlight === 0 && queue.length === 0
    const isOthers = isIdle && retries.size === 0 && queue.holders.length > 0
    const now = this.#clock.now()
    this.#othersSince = isOthers ? (this.#othersSince ?? now) : undefined
    if (limiter.standstill !== undefined) return limiter.standstill
    if (this.#othersSince !== undefined)
      return { why: 'others', message: '', since: this.#othersSince, until: now, holders: queue.holders }
    return isIdle && retries.next !== undefined ? { why: 'retry', ...retries.next } : undefined
  }
}
