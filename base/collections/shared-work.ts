/** Shares the result of work among several callers. The work is stopped when all of them have left. */
export class SharedWork<T> {
  readonly #stop = new AbortController()
  readonly #result: Promise<T>
  readonly #onOver: () => void
  #waiting = 0

  /**
   * @param work gets a signal that is aborted when no caller waits any more
   * @param onOver called once when the work has failed or was stopped, so that later callers must not join
   */
  constructor(work: (stopped: AbortSignal) => Promise<T>, onOver: () => void) {
    this.#onOver = onOver
    this.#result = work(this.#stop.signal)
    this.#result.catch(() => {
      if (!this.#stop.signal.aborted) onOver()
    })
  }

  /** Waits for the result. @throws the signal's reason if it is aborted before that */
  async join(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    this.#waiting += 1
    let leave = (): void => undefined
    const departure = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error)
      signal.addEventListener('abort', leave, { once: true })
    })
    try {
      return await Promise.race([this.#result, departure])
    } finally {
      signal.removeEventListener('abort', leave)
      this.#waiting -= 1
      if (this.#waiting === 0) this.#end(signal)
    }
  }

  /** A finished result may be joined by later callers, so only unfinished work is stopped. */
  #end({ aborted, reason }: AbortSignal): void {
    if (!aborted || this.#stop.signal.aborted) return
    this.#onOver()
    this.#stop.abort(reason)
  }
}
