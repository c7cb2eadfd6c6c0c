import { RefusedError } from '../../http/problems.js'

/** Runs few pieces of work at the same time, and refuses more than may wait. */
export class LimitedWork {
  readonly #atOnce: number
  readonly #mostWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, mostWaiting: number) {
    this.#atOnce = atOnce
    this.#mostWaiting = mostWaiting
  }

  /** @throws RefusedError (503) if too much waits */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#mostWaiting)
        throw new RefusedError(503, 'too many media are being prepared', { 'retry-after': '2' })
      await new Promise<void>(resolve => this.#waiting.push(resolve))
    } else this.#running += 1
    try {
      return await work()
    } finally {
      // The slot passes to the next waiter.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
