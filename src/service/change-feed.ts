import type { Store } from '../../cache/store.js'

/** The interval of checks whether another process has committed, in milliseconds. A check reads no rows. */
const lookMs = 100

/** Notifies listeners that any process may have changed the store. It does nothing while there are no listeners. */
export class ChangeFeed {
  readonly #store: Pick<Store, 'dataVersion'>
  readonly #listeners = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #version: number | undefined
  #isLooking = false

  constructor(store: Pick<Store, 'dataVersion'>) {
    this.#store = store
  }

  /** Notifies listeners of a commit of this process, which the data version does not count. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#version = undefined
      void this.#look()
      this.#timer = setInterval(() => void this.#look(), lookMs)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** Asks the store, one question at a time. The first answer after a pause is what later ones are compared with. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const version = await this.#store.dataVersion()
      const isChanged = this.#version !== undefined && version !== this.#version
      this.#version = version
      if (isChanged) this.changed()
    } catch {
      // The next reader of the store gets the same error and reports it.
    } finally {
      this.#isLooking = false
    }
  }

  /** Resolves at the next change, after `ms`, or when the signal is aborted. */
  next(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        unsubscribe()
        resolve()
      }
      const timer = setTimeout(end, ms)
      const unsubscribe = this.subscribe(end)
      signal?.addEventListener('abort', end, { once: true })
      if (signal?.aborted === true) end()
    })
  }
}
