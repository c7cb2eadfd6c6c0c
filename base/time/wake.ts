/**
 * Wakes a loop that waits for work.
 *
 * A notification only means "look again". Several notifications between two waits count as one. A notification while nobody waits is remembered, so
 * none is lost between looking and waiting.
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
