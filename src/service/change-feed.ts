import type { Store } from '../../cache/store.js'

/** How often the store is asked whether another process has committed, in milliseconds. The question reads no rows. */
const lookMs = 100

/** Tells listeners that the store may have changed, whichever process changed it. Costs nothing while nobody listens. */
export class ChangeFeed {
  readonly #store: Pick<Store, 'dataVersion'>
  readonly #listeners = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #version = 0

  constructor(store: Pick<Store, 'dataVersion'>) {
    this.#store = store
  }

  /** The version of the data does not count commits of this process: it tells of them itself. */
  changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }

  /** @returns ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#version = this.#store.dataVersion()
      this.#timer = setInterval(() => {
        const version = this.#store.dataVersion()
        if (version === this.#version) return
        this.#version = version
        this.changed()
      }, lookMs)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
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
