import type { InferOptions } from '../../infer-options.js'
import type { Limiter, Standstill } from '../limits/limiter-client.js'

const tellMs = 1_000
const keepMs = 10_000

/** Reports the rate of a loop at intervals, and stores what it learned about the server. */
export class PaceTeller {
  readonly #options: Pick<InferOptions, 'clock' | 'emit' | 'keepLimiter'>
  #toldAt = -Infinity
  #keptAt: number
  #throttled = 0
  #cancelLater: (() => void) | undefined
  #told: Standstill['why'] | undefined
  /** The last write to the store, which may have failed. */
  #keeping: Promise<void> = Promise.resolve()

  constructor(options: Pick<InferOptions, 'clock' | 'emit' | 'keepLimiter'>) {
    this.#options = options
    this.#keptAt = options.clock.now()
  }

  /** @param oldest returns when the first of the requests in flight was sent */
  look(limiter: Limiter, standstill: Standstill | undefined, oldest?: () => number | undefined): void {
    const now = this.#options.clock.now()
    if (now - this.#toldAt >= tellMs || standstill?.why !== this.#told) this.#tell(limiter, now, standstill, oldest?.())
    // If all requests in flight hang, no later call would report it.
    else
      this.#cancelLater ??= this.#options.clock.after(tellMs, () => {
        this.#cancelLater = undefined
        this.#tell(limiter, this.#options.clock.now(), standstill, oldest?.())
      })
    if (now - this.#keptAt < keepMs) return
    this.#keptAt = now
    this.#keep(limiter)
  }

  /** @throws whatever the store throws */
  async end(limiter: Limiter): Promise<void> {
    this.#cancelLater?.()
    this.#tell(limiter, this.#options.clock.now())
    this.#keep(limiter)
    await this.#keeping
  }

  #tell(limiter: Limiter, now: number, standstill?: Standstill, oldest?: number): void {
    this.#cancelLater?.()
    this.#cancelLater = undefined
    this.#toldAt = now
    this.#told = standstill?.why
    const { limit, inFlight, pauseMs, throttled } = limiter
    this.#options.emit({
      type: 'pace',
      concurrency: limit,
      inFlight,
      ...(oldest === undefined ? {} : { oldestMs: Math.round(now - oldest) }),
      waitingMs: Math.round(pauseMs),
      throttled: throttled - this.#throttled,
      ...(standstill === undefined ? {} : { standstill: describeStandstill(standstill, now) }),
    })
    this.#throttled = throttled
  }

  #keep(limiter: Limiter): void {
    const { keepLimiter } = this.#options
    if (keepLimiter === undefined) return
    const { state } = limiter
    this.#keeping = this.#keeping.then(() => keepLimiter(state))
    // The error is thrown where the promise is awaited.
    this.#keeping.catch(() => undefined)
  }
}

const describeStandstill = ({ why, message, since, until, holders }: Standstill, now: number) => ({
  why,
  message,
  forMs: Math.round(now - since),
  untilMs: Math.round(Math.max(0, until - now)),
  ...(holders === undefined ? {} : { holders }),
})
