/** Callers that wait until the index moved on. */
export class IndexMoves {
  readonly #waiting = new Set<() => void>()

  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  /** Ends all waits. */
  notify(): void {
    for (const end of [...this.#waiting]) end()
  }

  /** Resolves when the index moved, after a while, or when the caller is gone. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        this.#waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#waiting.add(end)
      signal?.addEventListener('abort', end, { once: true })
    })
  }
}
