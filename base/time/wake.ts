/**
 * Lets one loop tell another that there may be something to do.
 *
 * It says "look again", not what is there: many notifications between two waits are one, and one that comes while
 * nobody waits is remembered, so that none is missed between looking and waiting.
 */
export class Wake {
  #isNotified = false
  #waiting = new Set<() => void>()

  notify(): void {
    if (this.#waiting.size === 0) {
      this.#isNotified = true
      return
    }
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  /** Resolves at the next notification, or after `timeoutMs` milliseconds. `Infinity` sets no timer. */
  wait(timeoutMs: number): Promise<void> {
    if (this.#isNotified) {
      this.#isNotified = false
      return Promise.resolve()
    }
    return new Promise(resolve => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(() => resume(), timeoutMs) : undefined
      const resume = () => {
        clearTimeout(timer)
        this.#waiting.delete(resume)
        resolve()
      }
      this.#waiting.add(resume)
    })
  }
}
