/** A map that keeps only the most recently used entries (LRU). */
export class RecentMap<Key, Value> {
  readonly #most: number
  /** The least recently used entry is the first. */
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.#place(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#place(key, value)
    if (this.#entries.size <= this.#most) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  #place(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}

/** Caches results of an async function for the most recently used keys. Concurrent callers share one call; failures are not cached. */
export class RecentResults<Value> {
  readonly #results: RecentMap<string, Promise<Value>>

  constructor(most: number) {
    this.#results = new RecentMap(most)
  }

  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const cachedResult = this.#results.get(key)
    if (cachedResult !== undefined) return cachedResult
    const result = make()
    this.#results.set(key, result)
    result.catch(() => this.#results.delete(key))
    return result
  }
}
