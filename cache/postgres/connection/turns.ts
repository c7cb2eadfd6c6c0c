/** Limits the number of concurrent callers. Others wait in order. */
export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param most the number of callers that may work at once */
  constructor(most: number) {
    this.#free = most
  }

  /** Whether `take` would begin at once. */
  get isFree(): boolean {
    return this.#free > 0
  }

  /** Runs `work` when a slot is free. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      // The turn passes to the next caller at once, so that nobody who comes now is faster.
      if (next === undefined) this.#free += 1
      else next()
    }
  }
}
