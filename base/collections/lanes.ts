/** Runs a limited number of jobs at the same time, in order of arrival. */
export class Lanes {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#free = most
  }

  /** Runs a job as soon as any lane is free. @throws the signal's reason if it is aborted before that */
  async run<T>(job: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await this.#turn(signal)
    try {
      signal.throwIfAborted()
      return await job()
    } finally {
      // The next job takes over the lane.
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(begin), 1)
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(begin)
    })
  }
}
