/**
 * Listens to signals on behalf of many, with one listener on each signal: hundreds of attempts share one, and an
 * `EventTarget` looks through all its listeners whenever one comes or goes.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>()

  /** @param listener called when the signal is aborted, unless what is returned was called before */
  add(signal: AbortSignal, listener: () => void): () => void {
    const listeners = this.#bySignal.get(signal) ?? this.#listen(signal)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  #listen(signal: AbortSignal): Set<() => void> {
    const listeners = new Set<() => void>()
    this.#bySignal.set(signal, listeners)
    const onAbort = (): void => {
      for (const listener of listeners) listener()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    return listeners
  }
}
