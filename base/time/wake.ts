/**
 * Wakes a loop that waits for work.
 *
 * A notification only means "look again". Several notifications between two waits count as one. A notification without a waiter is remembered, so
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

  /** Resolves at the next notification, or after `timeoutMs` milliseconds. `Infinity` sets no timer. @returns whether there was a notification */
  wait(timeoutMs: number): Promise<boolean> {
    if (this.#isNotified) {
      this.#isNotified = false
      return Promise.resolve(true)
    }
    return new Promise(resolve => {
      const end = (isNotified: boolean): void => {
        clearTimeout(timer)
        this.#waiting.delete(resume)
        resolve(isNotified)
      }
      const resume = (): void => {
        end(true)
      }
      const timer = Number.isFinite(timeoutMs)
        ? setTimeout(() => {
            end(false)
          }, timeoutMs)
        : undefined
      this.#waiting.add(resume)
    })
  }
}
